package livesync

import (
	"context"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// ReadMany implements store.Store. It fetches all documents in one request and then the chunks of many files per
// request. Special cases (a folder, another spelling, a missing chunk) are read one by one.
func (s *Store) ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []store.Outcome {
	all := make([]store.Outcome, len(paths))
	sess, err := s.connected(ctx)
	if err == nil {
		err = s.readTogether(ctx, sess, paths, limit, all)
	}
	for i, path := range paths {
		switch {
		case err != nil:
			all[i].Err = databaseError(err)
		case all[i].Rev == store.Absent && all[i].Err == nil:
			all[i].File, all[i].Err = s.Read(ctx, path, limit)
		}
	}
	return all
}

// readTogether fills in the outcomes of files that can be read in batches.
func (s *Store) readTogether(ctx context.Context, sess *session, paths []vpath.Path, limit int64, all []store.Outcome) error {
	rows, err := s.couch.Fetch(ctx, s.idsOf(sess, paths))
	if err != nil {
		return err
	}
	g := &batchReader{store: s, session: sess, outcomes: all, limit: limit}
	for i, doc := range sess.inspectAll(rows) {
		switch {
		case doc.file == nil || doc.err != nil || doc.deleted || doc.path != paths[i]:
		case doc.file.Size > limit:
			all[i].Err = tooLarge(doc.path, doc.file.Size)
		default:
			err = g.add(ctx, i, readItem{infoOf(doc.path, doc.file), doc.file})
		}
		if err != nil {
			return err
		}
	}
	return g.flush(ctx)
}

func (s *Store) idsOf(sess *session, paths []vpath.Path) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]string, len(paths))
	for i, path := range paths {
		ids[i] = s.files.id(sess.codec, path)
	}
	return ids
}

// batchReader reads files whose chunks are fetched together.
type batchReader struct {
	store    *Store
	session  *session
	outcomes []store.Outcome
	limit    int64

	batch     []readItem
	positions []int // index of the outcome of each item
	chunks    int
	bytes     int64
}

func (g *batchReader) add(ctx context.Context, position int, item readItem) error {
	g.batch, g.positions = append(g.batch, item), append(g.positions, position)
	g.chunks += len(item.file.Children)
	g.bytes += item.file.Size
	if g.chunks < batchChunks && g.bytes < batchBytes {
		return nil
	}
	return g.flush(ctx)
}

func (g *batchReader) flush(ctx context.Context) error {
	chunks, err := g.store.fetchChunks(ctx, g.store.couch, g.session, neededChunks(g.batch))
	if err != nil {
		return err
	}
	for i, item := range g.batch {
		if data, err := g.session.codec.Content(item.file, chunks.get); err == nil && int64(len(data)) <= g.limit {
			g.outcomes[g.positions[i]].File = store.File{Info: item.info, Data: data, Rev: store.Rev(item.file.Rev)}
		}
	}
	for id, chunk := range chunks {
		if chunk.err == nil {
			g.store.chunks.put(id, chunk.data, g.store.opt.Now())
		}
	}
	g.batch, g.positions, g.chunks, g.bytes = nil, nil, 0, 0
	return nil
}
