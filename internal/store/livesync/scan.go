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

// Scan implements store.Store. Documents and chunks come many at a time, and
// are decrypted on all cores; no more is held than what the cores are at.
func (s *Store) Scan(ctx context.Context, want func(store.Info) bool, visit func(store.Found)) error {
	now, err := s.connected(ctx)
	if err != nil {
		return err
	}
	scan := s.newScan(ctx, now, want, visit)
	if files, folders, ok := s.infos(); ok {
		err = scan.fromCatalogue(files)
		err = scan.finish(err)
		if err == nil {
			visitFolders(folders, visit)
		}
		return err
	}
	folders := map[vpath.Path]bool{}
	err = s.listAll(scan.ctx, now, func(page []seen) error {
		for _, one := range page {
			for dir := one.path.Dir(); dir != "" && !folders[dir]; dir = dir.Dir() {
				folders[dir] = true
				visit(store.Found{Info: store.Info{Path: dir, Folder: true}})
			}
			if err := scan.add(one); err != nil {
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

// scan is one scan on its way.
type scan struct {
	*Store
	now   *session
	ctx   context.Context
	group *errgroup.Group
	want  func(store.Info) bool
	visit func(store.Found)
	limit int64 // the largest file that is read
	fresh bool  // nothing is taken from the cache

	visited map[vpath.Path]bool
	batch   []wanted
	chunks  int
	bytes   int64
}

// wanted is a file whose content is to be read.
type wanted struct {
	info store.Info
	file *format.Meta
}

// A batch is what is fetched at a time.
const (
	batchChunks = 1000
	batchBytes  = 1 << 20
	batchFiles  = 500
)

func (s *Store) newScan(ctx context.Context, now *session, want func(store.Info) bool, visit func(store.Found)) *scan {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	return &scan{Store: s, now: now, ctx: ctx, group: group, want: want, visit: visit, limit: store.MaxScan, visited: map[vpath.Path]bool{}}
}

// add deals with a file: it is visited at once, or joins the next batch.
func (c *scan) add(one seen) error {
	if c.visited[one.path] {
		return nil
	}
	c.visited[one.path] = true
	if one.file == nil || one.err != nil {
		c.visit(store.Found{Info: store.Info{Path: one.path, Mark: one.rev}, Err: one.err})
		return nil
	}
	info := infoOf(one.path, one.file)
	if info.Size > c.limit || !c.want(info) {
		c.visit(store.Found{Info: info})
		return nil
	}
	c.batch = append(c.batch, wanted{info, one.file})
	c.chunks += len(one.file.Children)
	c.bytes += one.file.Size
	if c.chunks >= batchChunks || c.bytes >= batchBytes || len(c.batch) >= batchFiles {
		return c.flush()
	}
	return nil
}

func infoOf(path vpath.Path, file *format.Meta) store.Info {
	made := entry{path: path, rev: file.Rev, size: file.Size, mtime: file.MTime, ctime: file.CTime, conflicts: file.Conflicts}
	return made.info()
}

// flush reads the batch. It waits while all cores are busy.
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
		err = failed // which is why the rest was given up
	}
	return lost(err)
}

// fromCatalogue scans the files of the catalogue: only the documents of those
// that are wanted have to be fetched.
func (c *scan) fromCatalogue(files []entry) error {
	var fetched []entry
	for _, one := range files {
		info := one.info()
		if info.Size > c.limit || !c.want(info) {
			c.visit(store.Found{Info: info, Err: one.err})
		} else {
			fetched = append(fetched, one)
		}
	}
	for some := range slices.Chunk(fetched, pageSize) {
		ids := make([]string, len(some))
		for i, one := range some {
			ids[i] = one.id
		}
		rows, err := c.bulk.Fetch(c.ctx, ids)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(rows, func(row couch.Row) bool { return row.Missing }) {
			if err := c.stillThere(c.ctx, c.now); err != nil {
				return err // nothing goes without a trace, but a whole database
			}
		}
		for i, one := range c.now.lookAll(rows) {
			if err := c.addKnown(some[i], one, rows[i].Missing); err != nil {
				return err
			}
		}
	}
	return nil
}

// addKnown deals with a file as it is now. One that cannot be had is there; one
// that is gone is what the feed is about to tell of.
func (c *scan) addKnown(known entry, now seen, missing bool) error {
	switch {
	case missing || now.deleted:
		return nil
	case now.path == "":
		c.visit(store.Found{Info: known.info(), Err: now.err})
		return nil
	}
	return c.add(now)
}

// read gives the contents of a batch: from the cache, or from the chunks.
func (c *scan) read(batch []wanted) error {
	var absent []wanted
	for _, one := range batch {
		if data, ok := c.cached(one.file); ok && !c.fresh {
			c.visit(store.Found{Info: one.info, Data: data})
		} else {
			absent = append(absent, one)
		}
	}
	chunks, err := c.fetchChunks(c.ctx, c.bulk, c.now, needs(absent))
	if err != nil {
		return err
	}
	for _, one := range absent {
		data, err := c.now.codec.Content(one.file, chunks.get)
		if err != nil {
			err = &unreadable{err}
		} else {
			c.keep(one.file, data)
		}
		_ = c.failed(one.info.Path, err)
		c.visit(store.Found{Info: one.info, Data: data, Err: err})
	}
	return nil
}

func needs(files []wanted) []string {
	seen := map[string]bool{}
	var ids []string
	for _, one := range files {
		for _, id := range one.file.Needs() {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// onAllCores calls work for each number below n.
func onAllCores(n int, work func(i int)) {
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
