package livesync

import (
	"context"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// ReadMany implements store.Store: the documents in one request, and then the
// chunks of many files in each. What turns out to need a closer look (a folder,
// another spelling, a chunk that is missing) is read by itself.
func (s *Store) ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []store.Outcome {
	all := make([]store.Outcome, len(paths))
	now, err := s.connected(ctx)
	if err == nil {
		err = s.readTogether(ctx, now, paths, limit, all)
	}
	for i, path := range paths {
		switch {
		case err != nil:
			all[i].Err = lost(err)
		case all[i].Rev == store.Absent && all[i].Err == nil:
			all[i].File, all[i].Err = s.Read(ctx, path, limit)
		}
	}
	return all
}

// readTogether fills in what can be read many at a time.
func (s *Store) readTogether(ctx context.Context, now *session, paths []vpath.Path, limit int64, all []store.Outcome) error {
	rows, err := s.couch.Fetch(ctx, s.idsOf(now, paths))
	if err != nil {
		return err
	}
	g := &gathering{Store: s, now: now, all: all, limit: limit}
	for i, one := range now.lookAll(rows) {
		switch {
		case one.file == nil || one.err != nil || one.deleted || one.path != paths[i]:
		case one.file.Size > limit:
			all[i].Err = tooLarge(one.path, one.file.Size)
		default:
			err = g.add(ctx, i, wanted{infoOf(one.path, one.file), one.file})
		}
		if err != nil {
			return err
		}
	}
	return g.flush(ctx)
}

func (s *Store) idsOf(now *session, paths []vpath.Path) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]string, len(paths))
	for i, path := range paths {
		ids[i] = s.files.id(now.codec, path)
	}
	return ids
}

// gathering reads files whose chunks come together.
type gathering struct {
	*Store
	now   *session
	all   []store.Outcome
	limit int64

	batch  []wanted
	places []int // where the outcome of each belongs
	chunks int
	bytes  int64
}

func (g *gathering) add(ctx context.Context, place int, one wanted) error {
	g.batch, g.places = append(g.batch, one), append(g.places, place)
	g.chunks += len(one.file.Children)
	g.bytes += one.file.Size
	if g.chunks < batchChunks && g.bytes < batchBytes {
		return nil
	}
	return g.flush(ctx)
}

func (g *gathering) flush(ctx context.Context) error {
	chunks, err := g.fetchChunks(ctx, g.couch, g.now, needs(g.batch))
	if err != nil {
		return err
	}
	for i, one := range g.batch {
		if data, err := g.now.codec.Content(one.file, chunks.get); err == nil && int64(len(data)) <= g.limit {
			g.all[g.places[i]].File = store.File{Info: one.info, Data: data, Rev: store.Rev(one.file.Rev)}
		}
	}
	for id, chunk := range chunks {
		if chunk.err == nil {
			g.Store.chunks.put(id, chunk.data)
		}
	}
	g.batch, g.places, g.chunks, g.bytes = nil, nil, 0, 0
	return nil
}
