package transfer

import (
	"context"
	"crypto/sha256"
	"sync"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// state describes the target's version of a file.
type state struct {
	sum  [sha256.Size]byte
	read bool  // sum is set; a scan does not read the largest files
	err  error // why it cannot be read
}

// compare finds out which of the source's files the target has, and their checksums. It reads them in one scan, which is
// the fastest way to read a store.
func (c *copying) compare(ctx context.Context) error {
	files, err := c.list(ctx)
	if err != nil {
		return err
	}
	c.total = len(files)
	c.target = map[vpath.Path]state{}
	var mu sync.Mutex // guards c.target
	return c.to.Scan(ctx, func(info store.Info) bool { return files[info.Path] }, func(found store.Found) {
		if !files[found.Path] || found.Folder {
			return
		}
		existing := state{err: found.Err}
		if found.Err == nil && (found.Data != nil || found.Size == 0) {
			existing.sum, existing.read = sha256.Sum256(found.Data), true
		}
		mu.Lock()
		defer mu.Unlock()
		c.target[found.Path] = existing
	})
}

// list returns the source's files, and its folders that cannot be read.
func (c *copying) list(ctx context.Context) (map[vpath.Path]bool, error) {
	files := map[vpath.Path]bool{}
	var mu sync.Mutex // guards files
	nothing := func(store.Info) bool { return false }
	err := c.from.Scan(ctx, nothing, func(found store.Found) {
		if found.Folder && found.Err == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		files[found.Path] = true
	})
	return files, err
}

// needsNoWrite reports whether a file of the source must not or need not be written, and notes why.
func (c *copying) needsNoWrite(path vpath.Path, data []byte) bool {
	existing, exists := c.target[path]
	outcome := Outcome{Path: path, Result: Different}
	switch {
	case !exists:
		return false
	case existing.read && existing.sum == sha256.Sum256(data):
		outcome.Result = Same
	case c.options.Overwrite:
		return false
	case existing.err != nil:
		outcome.Result, outcome.Err = Refused, existing.err
	}
	c.note(outcome)
	return true
}
