package transfer

import (
	"context"
	"crypto/sha256"
	"errors"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// maxFile is the largest file that is copied.
const maxFile = 512 << 20

// scan reads the source and writes what is to be written. The scan visits files
// from several goroutines; whoever fills a group commits it, and the others
// wait, so that reading is never far ahead of writing.
func (c *copying) scan(ctx context.Context) error {
	scanning, stop := context.WithCancel(ctx)
	defer stop()
	err := c.from.Scan(scanning, func(store.Info) bool { return true }, func(found store.Found) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.failure != nil || ctx.Err() != nil {
			return
		}
		if c.failure = c.visit(ctx, found); c.failure != nil {
			stop()
		}
	})
	switch {
	case c.failure != nil:
		return c.failure
	case err != nil:
		return err
	}
	if err := c.flush(ctx); err != nil {
		return err
	}
	return c.copyLarge(ctx)
}

// visit deals with one file.
func (c *copying) visit(ctx context.Context, found store.Found) error {
	switch {
	case found.Err != nil:
		c.note(Outcome{Path: found.Path, Result: Unreadable, Err: found.Err})
	case found.Folder:
	case found.Data == nil && found.Size > 0:
		c.large = append(c.large, found.Path)
	case c.settled(found.Path, found.Data):
	default:
		return c.write(ctx, found.Info, append([]byte{}, found.Data...))
	}
	return nil
}

// write puts a file into the group. It keeps its time.
func (c *copying) write(ctx context.Context, of store.Info, data []byte) error {
	path := of.Path
	change := store.Change{Op: store.Write, Path: path, Data: data, Modified: of.Modified}
	if _, exists := c.target[path]; exists {
		old, err := c.to.Read(ctx, path, maxFile)
		if err != nil {
			return c.refuse(ctx, path, err)
		}
		change.Base = old.Rev
	}
	c.group.add(change)
	if c.group.full() {
		return c.flush(ctx)
	}
	return nil
}

// copyLarge deals with the files that a scan does not hand over, one at a time.
func (c *copying) copyLarge(ctx context.Context) error {
	for _, path := range c.large {
		if err := c.sumLarge(ctx, path); err != nil {
			return err
		}
		file, err := c.from.Read(ctx, path, maxFile)
		if err != nil && c.stops(ctx, c.from, err) {
			return err
		}
		if err != nil {
			c.note(Outcome{Path: path, Result: Unreadable, Err: err})
			continue
		}
		if c.settled(path, file.Data) {
			continue
		}
		if err := c.write(ctx, file.Info, file.Data); err != nil {
			return err
		}
		if err := c.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sumLarge reads what the target has of a large file, before the source's is
// read: only one of them is in memory.
func (c *copying) sumLarge(ctx context.Context, path vpath.Path) error {
	known, exists := c.target[path]
	if !exists || known.read || known.err != nil {
		return nil
	}
	file, err := c.to.Read(ctx, path, maxFile)
	if err != nil && c.stops(ctx, c.to, err) {
		return err
	}
	if err != nil {
		known.err = err
	} else {
		known.sum, known.read = sha256.Sum256(file.Data), true
	}
	c.target[path] = known
	return nil
}

// refuse notes that the target does not take a file, unless it takes none.
func (c *copying) refuse(ctx context.Context, path vpath.Path, err error) error {
	if c.stops(ctx, c.to, err) {
		return err
	}
	c.note(Outcome{Path: path, Result: Refused, Err: err})
	return nil
}

// stops reports an error after which no other file would fare better. One
// damaged file is of the same kind as a store that is away, so that is asked
// about any other: whether there is one is not the question.
func (c *copying) stops(ctx context.Context, of store.Store, err error) bool {
	if ctx.Err() != nil || errors.Is(err, fault.Timeout) {
		return true
	}
	if !errors.Is(err, fault.StoreUnavailable) {
		return false
	}
	_, err = of.Stat(ctx, "any.md")
	return errors.Is(err, fault.StoreUnavailable)
}
