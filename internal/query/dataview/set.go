package dataview

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"

	"obsidian-mcp/internal/query/value"
	"obsidian-mcp/internal/text/order"
)

// Set is the pages of a vault. It never changes.
type Set struct {
	pages    []*Page // by path
	byPath   map[string]*Page
	follow   Resolver
	outside  Outside
	clock    Clock
	incoming func() map[string]value.List // the links to each file
}

// Resolver finds the file that a link leads to from a note: its path, or "".
type Resolver func(target, from string) string

// NewSet makes a set of pages. Queries are asked of what At returns.
func NewSet(pages []*Page, follow Resolver) *Set {
	set := &Set{pages: slices.Clone(pages), byPath: make(map[string]*Page, len(pages)), follow: follow}
	order.By(set.pages, func(a, b *Page) int { return cmp.Compare(a.Path, b.Path) })
	for _, page := range set.pages {
		set.byPath[page.Path] = page
	}
	set.incoming = sync.OnceValue(set.findIncoming)
	return set
}

// Outside is what queries may ask for that pages do not have.
type Outside struct {
	Starred func() map[string]bool            // the paths of the files that are bookmarked
	File    func(path string) ([]byte, error) // the text of a CSV file
}

// At returns the set for questions that are asked at a time.
func (s *Set) At(clock Clock, outside Outside) *Set {
	asked := *s
	outside.Starred = sync.OnceValue(outside.Starred)
	asked.clock, asked.outside = clock, outside
	return &asked
}

// Pages returns all pages, by path.
func (s *Set) Pages() []*Page { return s.pages }

// Page returns the page of a note, or nil.
func (s *Set) Page(path string) *PageRow {
	if page := s.byPath[path]; page != nil {
		return &PageRow{row{page, s}}
	}
	return nil
}

// PageRow is a page with its links resolved.
type PageRow struct{ row }

// Resolve finds the file that a link leads to from a note: its path, or "".
func (s *Set) Resolve(target, from string) string { return s.follow(target, from) }

// LinkingTo lists the pages that link to a file, by path.
func (s *Set) LinkingTo(path string) []string {
	var paths []string
	for _, link := range s.linksTo(path) {
		paths = append(paths, link.(value.Link).Path)
	}
	return paths
}

func (s *Set) isStarred(path string) bool { return s.outside.Starred()[path] }

// resolved returns a value whose links have the paths of the files that they lead to.
func (s *Set) resolved(v value.Value, from string) value.Value {
	switch v := v.(type) {
	case value.Link:
		if path := s.Resolve(v.Path, from); path != "" {
			v.Path = path
		}
		return v
	case value.List:
		list := make(value.List, len(v))
		for i, element := range v {
			list[i] = s.resolved(element, from)
		}
		return list
	case *value.Object:
		object := value.NewObject()
		for _, key := range v.Keys() {
			field, _ := v.Get(key)
			object.Set(key, s.resolved(field, from))
		}
		return object
	}
	return v
}

// linksTo lists the pages that link to a file.
func (s *Set) linksTo(path string) value.List {
	if links := s.incoming()[path]; links != nil {
		return links
	}
	return value.List{}
}

// findIncoming turns all links round. Links that lead nowhere are listed by their text.
func (s *Set) findIncoming() map[string]value.List {
	incoming := map[string]value.List{}
	for _, page := range s.pages {
		seen := map[string]bool{}
		for _, link := range page.links {
			target := cmp.Or(s.Resolve(link.Path, page.Path), link.Path)
			if !seen[target] {
				seen[target] = true
				incoming[target] = append(incoming[target], value.FileLink(page.Path))
			}
		}
	}
	return incoming
}

// Starred reads the paths of bookmarked files from the settings of the core plugin Bookmarks.
func Starred(settings []byte) map[string]bool {
	type item struct {
		Type, Path string
		Items      []json.RawMessage
	}
	starred := map[string]bool{}
	var read func(text json.RawMessage)
	read = func(text json.RawMessage) {
		var bookmark item
		if json.Unmarshal(text, &bookmark) != nil {
			return
		}
		if bookmark.Type == "file" {
			starred[bookmark.Path] = true
		}
		for _, inner := range bookmark.Items {
			read(inner)
		}
	}
	read(settings)
	return starred
}
