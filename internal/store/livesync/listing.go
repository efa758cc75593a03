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

// listing is a catalogue under construction while the feed continues. What the feed says about a document is newer than
// what the list says.
type listing struct {
	files    *catalogue
	newer    map[string]bool
	foreign  []docInfo // documents whose id does not match their path
	obsolete bool      // the database has been replaced
}

// pageSize is how many documents a request lists.
const pageSize = 500

// parts are the ranges of ids that contain files, and the range of Obsidian's own files, for which only the revisions are
// needed. They leave out chunks, and settings that the plugin shares through its own mechanism.
var parts = []couch.Query{
	{Before: "_", Docs: true, Conflicts: true, Page: pageSize},
	{Start: "`", Before: firstChunk, Docs: true, Conflicts: true, Page: pageSize},
	{Start: afterChunks, Before: "i:", Docs: true, Conflicts: true, Page: pageSize},
	{Start: "i:", Before: "i;", Page: 2000},
	{Start: "i;", Before: "ix:", Docs: true, Conflicts: true, Page: pageSize},
	{Start: "ix;", Before: "ps:", Docs: true, Conflicts: true, Page: pageSize},
	{Start: "ps;", Docs: true, Conflicts: true, Page: pageSize},
}

// listAll lists the whole database and builds the catalogue. It calls page for each page while it fetches the next.
func (s *Store) listAll(ctx context.Context, sess *session, page func([]docInfo) error) (err error) {
	l := s.beginListing()
	defer func() { s.endListing(sess, l, err) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pages, failed := s.pages(ctx)
	for rows := range pages {
		if err := page(s.addPage(l, sess.inspectAll(rows))); err != nil {
			return err
		}
	}
	if err := <-failed; err != nil {
		return err
	}
	if err := s.checkSession(ctx, sess); err != nil {
		return err
	}
	return page(s.heldBack(l))
}

// checkSession makes sure that a list belongs to the database of the session. If the database was replaced in the
// meantime, its documents could not be read and the list would seem empty.
func (s *Store) checkSession(ctx context.Context, sess *session) error {
	again, err := s.confirmSession(ctx, sess)
	if err == nil && again != sess {
		err = fault.StoreUnavailable.Errorf("%w; it is being read again", errReplaced).WithHint("try again in a moment")
	}
	return err
}

// pages fetches the parts concurrently, each page by page.
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

// inspectAll reads the documents of a page on all cores, since each may have to be decrypted.
func (s *session) inspectAll(rows []couch.Row) []docInfo {
	all := make([]docInfo, len(rows))
	parallel(len(rows), func(i int) {
		row := rows[i]
		switch {
		case row.Doc != nil:
			all[i] = s.inspect(row.Doc)
		case row.Err != nil:
			all[i] = docInfo{id: row.ID, rev: row.Rev, kind: kindOf(row.ID), err: row.Err}
		default:
			all[i] = docInfo{id: row.ID, rev: row.Rev, kind: kindOf(row.ID), deleted: row.Deleted}
		}
	})
	return all
}

// kindOf returns a document's kind, as far as its id alone shows it.
func kindOf(id string) format.Kind { return format.KindOf(id, "plain") }

func (s *Store) beginListing() *listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &listing{files: newCatalogue(), newer: map[string]bool{}}
	s.listings[l] = true
	return l
}

// addPage adds a page to the catalogue, and returns its files.
func (s *Store) addPage(l *listing, page []docInfo) []docInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	files := page[:0]
	for _, doc := range page {
		if !l.newer[doc.id] || couch.Generation(doc.rev) > l.files.longest[doc.id] {
			l.files.put(doc)
		}
		if doc.foreign {
			l.foreign = append(l.foreign, doc) // a document with the right id may follow
		} else {
			files = append(files, doc)
		}
	}
	return l.served(files)
}

// served returns the documents that the catalogue serves.
func (l *listing) served(page []docInfo) []docInfo {
	return slices.DeleteFunc(page, func(doc docInfo) bool {
		known := l.files.byID[doc.id]
		return known == nil || known.path != doc.path
	})
}

// heldBack returns the documents with a foreign id that are served after all.
func (s *Store) heldBack(l *listing) []docInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return l.served(l.foreign)
}

// endListing puts the catalogue to use if the listing succeeded and the database is still the same.
func (s *Store) endListing(sess *session, l *listing, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listings, l)
	if err == nil && !l.obsolete && s.session == sess && s.files == nil {
		s.files = l.files
		s.comparisons = comparisons{}
	}
}

// ensureCatalogue returns the catalogue, after listing the database if needed. The caller must hold s.mu to look into it.
func (s *Store) ensureCatalogue(ctx context.Context) (*catalogue, error) {
	select {
	case s.listSlot <- struct{}{}: // one caller lists, the others wait for it
		defer func() { <-s.listSlot }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for {
		sess, err := s.connected(ctx)
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		files := s.files
		s.mu.Unlock()
		if files != nil {
			return files, nil
		}
		if err := s.listAll(ctx, sess, func([]docInfo) error { return nil }); err != nil {
			return nil, databaseError(err)
		}
	}
}

// listedFiles returns all files and folders of the catalogue. ok is false if there is none, or the feed is interrupted.
func (s *Store) listedFiles() (files []entry, folders []vpath.Path, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil || s.outage != nil {
		return nil, nil, false
	}
	files = make([]entry, 0, len(s.files.byPath))
	for _, entry := range s.files.byPath {
		files = append(files, *entry)
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

// visitFolders reports the folders, which follow from the files' paths: the database has no documents for them.
func visitFolders(folders []vpath.Path, visit func(store.Found)) {
	for _, folder := range folders {
		visit(store.Found{Info: store.Info{Path: folder, Folder: true}})
	}
}
