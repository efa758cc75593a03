package livesync

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// listing is a catalogue that is being made while the feed goes on. What the
// feed tells of a document is newer than what the list says of it.
type listing struct {
	files    *catalogue
	touched  map[string]bool
	foreign  []seen // documents whose id is not that of their path
	obsolete bool   // the database is another one by now
}

// pageSize is how many documents are listed at a time.
const pageSize = 500

// parts are the ranges of ids in which files are, and that of Obsidian's own
// files, of which the revisions are enough. Chunks, and settings that the
// plugin shares in its own way, are left out.
var parts = []couch.Query{
	{Before: "_", Docs: true, Conflicts: true, Page: pageSize},
	{Start: "`", Before: firstChunk, Docs: true, Conflicts: true, Page: pageSize},
	{Start: afterChunks, Before: "i:", Docs: true, Conflicts: true, Page: pageSize},
	{Start: "i:", Before: "i;", Page: 2000},
	{Start: "i;", Before: "ix:", Docs: true, Conflicts: true, Page: pageSize},
	{Start: "ix;", Before: "ps:", Docs: true, Conflicts: true, Page: pageSize},
	{Start: "ps;", Docs: true, Conflicts: true, Page: pageSize},
}

// listAll lists the whole database page by page, the next page while the one
// before is dealt with, and makes the catalogue of it.
func (s *Store) listAll(ctx context.Context, now *session, page func([]seen) error) (err error) {
	l := s.beginListing()
	defer func() { s.endListing(now, l, err) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pages, failed := s.pages(ctx)
	for rows := range pages {
		if err := page(s.enter(l, now.lookAll(rows))); err != nil {
			return err
		}
	}
	if err := <-failed; err != nil {
		return err
	}
	if err := s.stillThere(ctx, now); err != nil {
		return err
	}
	return page(s.leftover(l))
}

// stillThere makes sure that what was listed is the database of the session:
// the documents of one that was made anew meanwhile could not be read, and
// would be taken for none.
func (s *Store) stillThere(ctx context.Context, now *session) error {
	again, err := s.confirmed(ctx, now)
	if err == nil && again != now {
		err = fault.StoreUnavailable.Errorf("the database was made anew, and is read again").WithHint("try again in a moment")
	}
	return err
}

// pages fetches the parts side by side, each page by page.
func (s *Store) pages(ctx context.Context) (<-chan []couch.Row, <-chan error) {
	pages, failed := make(chan []couch.Row, 1), make(chan error, 1)
	group, ctx := errgroup.WithContext(ctx)
	for _, part := range parts {
		group.Go(func() error { return s.pagesOf(ctx, part, pages) })
	}
	go func() {
		defer close(pages)
		failed <- group.Wait()
	}()
	return pages, failed
}

func (s *Store) pagesOf(ctx context.Context, part couch.Query, pages chan<- []couch.Row) error {
	rows := make([]couch.Row, 0, part.Page)
	send := func() error {
		if len(rows) == 0 {
			return nil
		}
		select {
		case pages <- rows:
			rows = make([]couch.Row, 0, part.Page)
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for row, err := range s.bulk.AllDocs(ctx, part) {
		if err != nil {
			return err
		}
		if rows = append(rows, row); len(rows) == part.Page {
			if err := send(); err != nil {
				return err
			}
		}
	}
	return send()
}

// lookAll reads the documents of a page on all cores: each may have to be
// decrypted.
func (s *session) lookAll(rows []couch.Row) []seen {
	all := make([]seen, len(rows))
	onAllCores(len(rows), func(i int) {
		row := rows[i]
		switch {
		case row.Doc != nil:
			all[i] = s.look(row.Doc)
		case row.Err != nil:
			all[i] = seen{id: row.ID, rev: row.Rev, kind: kindOf(row.ID), err: row.Err}
		default:
			all[i] = seen{id: row.ID, rev: row.Rev, kind: kindOf(row.ID), deleted: row.Deleted}
		}
	})
	return all
}

// kindOf tells a file's document from others by its id alone.
func kindOf(id string) format.Kind { return format.KindOf(id, "plain") }

func (s *Store) beginListing() *listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &listing{files: newCatalogue(), touched: map[string]bool{}}
	s.listings[l] = true
	return l
}

// enter takes a page into the catalogue, and gives the files of it.
func (s *Store) enter(l *listing, page []seen) []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	files := page[:0]
	for _, one := range page {
		if !l.touched[one.id] {
			l.files.put(one)
		}
		if one.foreign {
			l.foreign = append(l.foreign, one) // the right one may come yet
		} else {
			files = append(files, one)
		}
	}
	return l.served(files)
}

// served are those documents that have a path, and of which no other is the
// right one.
func (l *listing) served(page []seen) []seen {
	return slices.DeleteFunc(page, func(one seen) bool {
		known := l.files.byID[one.id]
		return known == nil || known.path != one.path
	})
}

// leftover are the documents that were held back and are served after all.
func (s *Store) leftover(l *listing) []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return l.served(l.foreign)
}

// endListing makes the catalogue the one in use, if the list is whole and of
// the database that is there.
func (s *Store) endListing(now *session, l *listing, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listings, l)
	if err == nil && !l.obsolete && s.session == now && s.files == nil {
		s.files = l.files
	}
}

// known gives the catalogue, listing the database if there is none. What is in
// it may be looked at while s.mu is held.
func (s *Store) known(ctx context.Context) (*catalogue, error) {
	select {
	case s.knowing <- struct{}{}: // one lists for all who wait
		defer func() { <-s.knowing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for {
		now, err := s.connected(ctx)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		files := s.files
		s.mu.Unlock()
		if files != nil {
			return files, nil
		}
		if err := s.listAll(ctx, now, func([]seen) error { return nil }); err != nil {
			return nil, lost(err)
		}
	}
}

// infos are all files and folders that the catalogue has, if it can be
// relied on.
func (s *Store) infos() (files []entry, folders []vpath.Path, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil || s.trouble != nil {
		return nil, nil, false
	}
	files = make([]entry, 0, len(s.files.byPath))
	for _, one := range s.files.byPath {
		files = append(files, *one)
	}
	return files, s.files.allFolders(), true
}

func (c *catalogue) allFolders() []vpath.Path {
	all := make([]vpath.Path, 0, len(c.folders))
	for folder := range c.folders {
		all = append(all, folder)
	}
	return all
}

// visitFolders tells of the folders. The database has none of its own.
func visitFolders(folders []vpath.Path, visit func(store.Found)) {
	for _, folder := range folders {
		visit(store.Found{Info: store.Info{Path: folder, Folder: true}})
	}
}
