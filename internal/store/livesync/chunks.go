package livesync

import (
	"container/list"
	"context"
	"sync"
	"time"

	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// chunkSet holds fetched chunks by id: their data, or why they could not be read.
type chunkSet map[string]fetchedChunk

type fetchedChunk struct {
	data string
	err  error
}

func (f chunkSet) get(id string) (string, error) {
	chunk, ok := f[id]
	if !ok {
		return "", format.MissingChunk(id)
	}
	return chunk.data, chunk.err
}

// fetchChunks reads chunks. A missing or damaged chunk is recorded in the set, for the files that need it; an error means
// that the request failed.
func (s *Store) fetchChunks(ctx context.Context, client *couch.Client, sess *session, ids []string) (chunkSet, error) {
	rows, err := client.Fetch(ctx, ids)
	if err != nil {
		return nil, err
	}
	all := make(chunkSet, len(ids))
	for i, row := range rows {
		switch {
		case row.Err != nil:
			all[row.ID] = fetchedChunk{err: row.Err}
		case row.Doc == nil:
			all[row.ID] = fetchedChunk{err: format.MissingChunk(row.ID)}
		default:
			read, err := sess.codec.Decode(row.Doc.Body)
			if err == nil && read.Chunk == nil {
				err = format.MissingChunk(row.ID)
			}
			chunk := fetchedChunk{err: err}
			if err == nil {
				chunk.data = read.Chunk.Data
			}
			all[row.ID] = chunk
		}
		rows[i] = couch.Row{} // free the memory of its text
	}
	return all, nil
}

// content assembles a file from its chunks.
func (s *Store) content(ctx context.Context, sess *session, file *format.Meta) ([]byte, error) {
	chunks := chunkSet{}
	var absent []string
	for _, id := range file.Needs() {
		if data, ok := s.chunks.get(id); ok {
			chunks[id] = fetchedChunk{data: data}
		} else {
			absent = append(absent, id)
		}
	}
	if len(absent) > 0 {
		rest, err := s.fetchChunks(ctx, s.couch, sess, absent)
		if err != nil {
			return nil, databaseError(err)
		}
		for id, chunk := range rest {
			chunks[id] = chunk
			if chunk.err == nil {
				s.chunks.put(id, chunk.data, s.opt.Now())
			}
		}
	}
	data, err := sess.codec.Content(file, chunks.get)
	if err != nil {
		return nil, &unreadable{err}
	}
	return data, nil
}

// unreadable is an error in the documents, not in the access to the database.
type unreadable struct{ cause error }

func (u *unreadable) Error() string { return u.cause.Error() }
func (u *unreadable) Unwrap() error { return u.cause }

// chunkCache holds the data of recently used chunks: a note that is read is often edited next, and then read again. The
// zero value is empty.
type chunkCache struct {
	mu    sync.Mutex // guards the fields below
	byID  map[string]*list.Element
	order list.List // of cachedChunk, the latest first
	bytes int
}

type cachedChunk struct {
	id, data string
	read     time.Time
}

// cachedBytes is the capacity of a chunkCache.
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

func (c *chunkCache) put(id, data string, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID == nil {
		c.byID = map[string]*list.Element{}
	}
	if _, cached := c.byID[id]; cached || len(data) > cachedBytes/4 {
		return
	}
	c.byID[id] = c.order.PushFront(cachedChunk{id, data, now})
	for c.bytes += len(data); c.bytes > cachedBytes; {
		last := c.order.Remove(c.order.Back()).(cachedChunk)
		delete(c.byID, last.id)
		c.bytes -= len(last.data)
	}
}

// justRead reports whether a chunk was read from the database a moment ago.
func (c *chunkCache) justRead(id string, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.byID[id]
	return ok && now.Sub(found.Value.(cachedChunk).read) < justRead
}

// drop removes chunks that turned out not to be in the database.
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
