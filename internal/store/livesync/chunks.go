package livesync

import (
	"container/list"
	"context"
	"sync"

	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// fetched are chunks as they came: their data, or why there is none.
type fetched map[string]fetchedChunk

type fetchedChunk struct {
	data string
	err  error
}

func (f fetched) get(id string) (string, error) {
	chunk, ok := f[id]
	if !ok {
		return "", format.MissingChunk(id)
	}
	return chunk.data, chunk.err
}

// fetchChunks reads chunks. Those that are missing or damaged are the trouble
// of the files that need them; an error is of the database.
func (s *Store) fetchChunks(ctx context.Context, client *couch.Client, now *session, ids []string) (fetched, error) {
	rows, err := client.Fetch(ctx, ids)
	if err != nil {
		return nil, err
	}
	all := make(fetched, len(ids))
	for i, row := range rows {
		switch {
		case row.Err != nil:
			all[row.ID] = fetchedChunk{err: row.Err}
		case row.Doc == nil:
			all[row.ID] = fetchedChunk{err: format.MissingChunk(row.ID)}
		default:
			read, err := now.codec.Decode(row.Doc.Body)
			if err == nil && read.Chunk == nil {
				err = format.MissingChunk(row.ID)
			}
			one := fetchedChunk{err: err}
			if err == nil {
				one.data = read.Chunk.Data
			}
			all[row.ID] = one
		}
		rows[i] = couch.Row{} // its text is not needed any more
	}
	return all, nil
}

// content puts a file together.
func (s *Store) content(ctx context.Context, now *session, file *format.Meta) ([]byte, error) {
	chunks := fetched{}
	var absent []string
	for _, id := range file.Needs() {
		if data, ok := s.chunks.get(id); ok {
			chunks[id] = fetchedChunk{data: data}
		} else {
			absent = append(absent, id)
		}
	}
	if len(absent) > 0 {
		rest, err := s.fetchChunks(ctx, s.couch, now, absent)
		if err != nil {
			return nil, lost(err)
		}
		for id, chunk := range rest {
			chunks[id] = chunk
			if chunk.err == nil {
				s.chunks.put(id, chunk.data)
			}
		}
	}
	data, err := now.codec.Content(file, chunks.get)
	if err != nil {
		return nil, &unreadable{err}
	}
	return data, nil
}

// unreadable is an error of what the database holds, not of the database.
type unreadable struct{ error }

func (u *unreadable) Unwrap() error { return u.error }

// chunkCache holds the data of chunks that were used a moment ago: a note that
// is read is often edited next, and then read again. The zero value is empty.
type chunkCache struct {
	mu    sync.Mutex // guards what follows
	byID  map[string]*list.Element
	order list.List // of cachedChunk, the latest first
	bytes int
}

type cachedChunk struct{ id, data string }

// cachedBytes is how much is held.
const cachedBytes = 8 << 20

func (c *chunkCache) get(id string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.byID[id]
	if !ok {
		return "", false
	}
	c.order.MoveToFront(found)
	return found.Value.(cachedChunk).data, true
}

func (c *chunkCache) put(id, data string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID == nil {
		c.byID = map[string]*list.Element{}
	}
	if _, there := c.byID[id]; there || len(data) > cachedBytes/4 {
		return
	}
	c.byID[id] = c.order.PushFront(cachedChunk{id, data})
	for c.bytes += len(data); c.bytes > cachedBytes; {
		last := c.order.Remove(c.order.Back()).(cachedChunk)
		delete(c.byID, last.id)
		c.bytes -= len(last.data)
	}
}

// drop forgets chunks that turned out not to be in the database.
func (c *chunkCache) drop(ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		if found, ok := c.byID[id]; ok {
			c.bytes -= len(c.order.Remove(found).(cachedChunk).data)
			delete(c.byID, id)
		}
	}
}

func (c *chunkCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.byID)
	c.order.Init()
	c.bytes = 0
}
