package transfer

import (
	"context"
	"crypto/sha256"
	"errors"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// maxFile is the size of the largest file that can be copied.
const maxFile = 512 << 20

// scan reads the source and writes the files that the target needs. A scan visits files from several goroutines; the one
// that fills a group commits it while the others wait, so reading never gets far ahead of writing.
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

// visit handles one file of the source.
func (c *copying) visit(ctx context.Context, found store.Found) error {
	switch {
	case found.Err != nil:
		c.note(Outcome{Path: found.Path, Result: Unreadable, Err: found.Err})
	case found.Folder:
	case found.Data == nil && found.Size > 0:
		c.large = append(c.large, found.Path)
	case c.needsNoWrite(found.Path, found.Data):
	default:
		return c.write(ctx, found.Info, append([]byte{}, found.Data...))
	}
	return nil
}

// write adds a file to the group, with its modification time.
func (c *copying) write(ctx context.Context, info store.Info, data []byte) error {
	path := info.Path
	change := store.Change{Op: store.Write, Path: path, Data: data, Modified: info.Modified}
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

// copyLarge copies the files that are too large for a scan, one at a time.
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
		if c.needsNoWrite(path, file.Data) {
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

// sumLarge computes the checksum of the target's version of a large file before the source's is read, so that only one
// of them is in memory.
func (c *copying) sumLarge(ctx context.Context, path vpath.Path) error {
	existing, exists := c.target[path]
	if !exists || existing.read || existing.err != nil {
		return nil
	}
	file, err := c.to.Read(ctx, path, maxFile)
	if err != nil && c.stops(ctx, c.to, err) {
		return err
	}
	if err != nil {
		existing.err = err
	} else {
		existing.sum, existing.read = sha256.Sum256(file.Data), true
	}
	c.target[path] = existing
	return nil
}

// refuse notes that the target refused a file. It returns the error if copying has to stop.
func (c *copying) refuse(ctx context.Context, path vpath.Path, err error) error {
	if c.stops(ctx, c.to, err) {
		return err
	}
	c.note(Outcome{Path: path, Result: Refused, Err: err})
	return nil
}

// stops reports whether an error would meet all other files too. A damaged file and an unreachable store fail with the
// same kind of error, so stops makes another call to the store; the file of that call need not exist.
func (c *copying) stops(ctx context.Context, from store.Store, err error) bool {
	if ctx.Err() != nil || errors.Is(err, fault.Timeout) {
		return true
	}
	if !errors.Is(err, fault.StoreUnavailable) {
		return false
	}
	_, err = from.Stat(ctx, "any.md")
	return errors.Is(err, fault.StoreUnavailable)
}
