package livesync

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// Scan implements store.Store. It fetches documents and chunks in batches and decrypts them on all cores. Memory holds
// only the batches being worked on.
func (s *Store) Scan(ctx context.Context, want func(store.Info) bool, visit func(store.Found)) error {
	sess, err := s.connected(ctx)
	if err != nil {
		return err
	}
	scan := s.newScan(ctx, sess, want, visit)
	if files, folders, ok := s.listedFiles(); ok {
		err = scan.fromCatalogue(files)
		err = scan.finish(err)
		if err == nil {
			visitFolders(folders, visit)
		}
		return err
	}
	folders := map[vpath.Path]bool{}
	err = s.listAll(scan.ctx, sess, func(page []docInfo) error {
		for _, doc := range page {
			for dir := doc.path.Dir(); dir != "" && !folders[dir]; dir = dir.Dir() {
				folders[dir] = true
				visit(store.Found{Info: store.Info{Path: dir, Folder: true}})
			}
			if err := scan.add(doc); err != nil {
				return err
			}
		}
		return nil
	})
	if err = scan.finish(err); err == nil {
		s.saveCache()
	}
	return err
}

// scan is the state of one Scan.
type scan struct {
	store     *Store
	session   *session
	ctx       context.Context
	group     *errgroup.Group
	want      func(store.Info) bool
	visit     func(store.Found)
	limit     int64 // of the size of files to read
	skipCache bool  // read everything from the database

	seen   map[vpath.Path]bool
	batch  []readItem
	chunks int
	bytes  int64
}

// readItem is a file to read.
type readItem struct {
	info store.Info
	file *format.Meta
}

// Limits of a batch.
const (
	batchChunks = 1000
	batchBytes  = 1 << 20
	batchFiles  = 500
)

func (s *Store) newScan(ctx context.Context, sess *session, want func(store.Info) bool, visit func(store.Found)) *scan {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	return &scan{store: s, session: sess, ctx: ctx, group: group, want: want, visit: visit, limit: store.MaxScan, seen: map[vpath.Path]bool{}}
}

// add visits a file at once, or adds it to the next batch.
func (c *scan) add(doc docInfo) error {
	if c.seen[doc.path] {
		return nil
	}
	c.seen[doc.path] = true
	if doc.file == nil || doc.err != nil {
		c.visit(store.Found{Info: store.Info{Path: doc.path, Mark: doc.rev}, Err: doc.err})
		return nil
	}
	info := infoOf(doc.path, doc.file)
	if info.Size > c.limit || !c.want(info) {
		c.visit(store.Found{Info: info})
		return nil
	}
	c.batch = append(c.batch, readItem{info, doc.file})
	c.chunks += len(doc.file.Children)
	c.bytes += doc.file.Size
	if c.chunks >= batchChunks || c.bytes >= batchBytes || len(c.batch) >= batchFiles {
		return c.flush()
	}
	return nil
}

func infoOf(path vpath.Path, file *format.Meta) store.Info {
	made := entry{path: path, rev: file.Rev, size: file.Size, mtime: file.MTime, ctime: file.CTime, conflicts: file.Conflicts}
	return made.info()
}

// flush starts to read the batch. It blocks while all cores are busy.
func (c *scan) flush() error {
	batch := c.batch
	c.batch, c.chunks, c.bytes = nil, 0, 0
	if len(batch) == 0 {
		return nil
	}
	c.group.Go(func() error { return c.read(batch) })
	return c.ctx.Err()
}

// finish waits for all batches.
func (c *scan) finish(err error) error {
	if err == nil {
		err = c.flush()
	}
	if failed := c.group.Wait(); failed != nil && (err == nil || c.ctx.Err() != nil) {
		err = failed // the reason why the rest was cancelled
	}
	return databaseError(err)
}

// fromCatalogue scans the files of the catalogue. It fetches only the documents of wanted files.
func (c *scan) fromCatalogue(files []entry) error {
	var fetched []entry
	for _, entry := range files {
		info := entry.info()
		if info.Size > c.limit || !c.want(info) {
			c.visit(store.Found{Info: info, Err: entry.err})
		} else {
			fetched = append(fetched, entry)
		}
	}
	for some := range slices.Chunk(fetched, pageSize) {
		ids := make([]string, len(some))
		for i, entry := range some {
			ids[i] = entry.id
		}
		rows, err := c.store.bulk.Fetch(c.ctx, ids)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(rows, func(row couch.Row) bool { return row.Missing }) {
			if err := c.store.checkSession(c.ctx, c.session); err != nil {
				return err // a document never vanishes without a trace; a whole database does
			}
		}
		for i, doc := range c.session.inspectAll(rows) {
			if err := c.addKnown(some[i], doc, rows[i].Missing); err != nil {
				return err
			}
		}
	}
	return nil
}

// addKnown adds the current document of a known file. A document that could not be read still exists; one that is gone
// will be reported by the feed.
func (c *scan) addKnown(known entry, now docInfo, missing bool) error {
	switch {
	case missing || now.deleted:
		return nil
	case now.path == "":
		c.visit(store.Found{Info: known.info(), Err: now.err})
		return nil
	}
	return c.add(now)
}

// read visits the files of a batch with their contents from the cache or from the chunks.
func (c *scan) read(batch []readItem) error {
	var absent []readItem
	for _, item := range batch {
		if data, ok := c.store.getCached(item.file); ok && !c.skipCache {
			c.visit(store.Found{Info: item.info, Data: data})
		} else {
			absent = append(absent, item)
		}
	}
	chunks, err := c.store.fetchChunks(c.ctx, c.store.bulk, c.session, neededChunks(absent))
	if err != nil {
		return err
	}
	for _, item := range absent {
		data, err := c.session.codec.Content(item.file, chunks.get)
		if err != nil {
			err = &unreadable{err}
		} else {
			c.store.putCached(item.file, data)
		}
		_ = c.store.recordRead(item.info.Path, err)
		c.visit(store.Found{Info: item.info, Data: data, Err: err})
	}
	return nil
}

func neededChunks(files []readItem) []string {
	seen := map[string]bool{}
	var ids []string
	for _, item := range files {
		for _, id := range item.file.Needs() {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// parallel calls work for each number below n, on all cores.
func parallel(n int, work func(i int)) {
	cores := min(runtime.GOMAXPROCS(0), n)
	var all sync.WaitGroup
	for core := range cores {
		all.Go(func() {
			for i := core; i < n; i += cores {
				work(i)
			}
		})
	}
	all.Wait()
}
