package index

import (
	"runtime"
	"sync"
	"time"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/dataview"
	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/system/zones"
)

// Pages returns the pages of all notes, with their dates in a time zone. They are read once; after a change, only the
// changed notes are.
func (s *Snapshot) Pages(zone *time.Location) *dataview.Set {
	return s.pages.get(s, zone, derivation[*time.Location, *dataview.Set]{
		same: func(a, b *time.Location) bool { return a.String() == b.String() },
		all: func() *dataview.Set {
			var paths []vpath.Path
			s.Files(func(path vpath.Path) bool {
				if path.IsNote() {
					paths = append(paths, path)
				}
				return true
			})
			return s.pageSet(s.readPages(paths, zone))
		},
		update: func(set *dataview.Set, changed map[vpath.Path]bool) *dataview.Set {
			var pages []*dataview.Page
			for _, page := range set.Pages() {
				if !changed[vpath.Path(page.Path)] {
					pages = append(pages, page)
				}
			}
			var paths []vpath.Path
			for path := range changed {
				if path.IsNote() && s.Has(path) {
					paths = append(paths, path)
				}
			}
			return s.pageSet(append(pages, s.readPages(paths, zone)...))
		},
		through: func(whole *Snapshot) *dataview.Set {
			var pages []*dataview.Page
			for _, page := range whole.Pages(zone).Pages() {
				if s.Has(vpath.Path(page.Path)) {
					pages = append(pages, page)
				}
			}
			return s.pageSet(pages)
		},
	})
}

// pageSet makes a set of pages whose links lead where they do in the snapshot.
func (s *Snapshot) pageSet(pages []*dataview.Page) *dataview.Set {
	return dataview.NewSet(pages, func(target, from string) string {
		if target == "" {
			return from
		}
		resolver := s.Paths.From(vpath.Path(from))
		found, _ := resolver.Resolve(target)
		return string(found)
	})
}

// readPages reads the pages of notes on all processors.
func (s *Snapshot) readPages(paths []vpath.Path, zone *time.Location) []*dataview.Page {
	pages := make([]*dataview.Page, len(paths))
	workers := min(runtime.GOMAXPROCS(0), len(paths))
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			var scanner md.Scanner
			pool := value.NewPool()
			for i := worker; i < len(paths); i += workers {
				pages[i] = s.readPage(&scanner, pool, paths[i], zone)
			}
		})
	}
	group.Wait()
	return pages
}

func (s *Snapshot) readPage(scanner *md.Scanner, pool *value.Pool, path vpath.Path, zone *time.Location) *dataview.Page {
	entry := s.Entry(path)
	source := dataview.Source{Path: string(path), Size: entry.Size, Created: entry.Created, Modified: entry.Modified, Pool: pool}
	var page *dataview.Page
	read := func(text []byte) {
		source.Note = scanner.Scan(text)
		page = dataview.Import(source, dataview.Clock{Now: time.Time{}.In(zone), Zone: zones.Load})
	}
	if doc := s.docOf(path); doc >= 0 {
		s.text.Text(doc, func(text []byte, _ bool) { read(text) })
	}
	if page == nil {
		read(nil)
	}
	return page
}
