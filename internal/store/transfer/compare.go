package transfer

import (
	"context"
	"crypto/sha256"
	"sync"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// state is what the target has at the path of a file.
type state struct {
	sum  [sha256.Size]byte
	read bool  // sum is known; a scan does not read the largest files
	err  error // it cannot be read
}

// compare finds out what the target has of the source's files. They are read in
// one scan, since that is what a store does fastest, and known by their sums.
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
		one := state{err: found.Err}
		if found.Err == nil && (found.Data != nil || found.Size == 0) {
			one.sum, one.read = sha256.Sum256(found.Data), true
		}
		mu.Lock()
		defer mu.Unlock()
		c.target[found.Path] = one
	})
}

// list names the source's files, and the folders that cannot be read.
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

// settled notes a file of the source that is not to be written.
func (c *copying) settled(path vpath.Path, data []byte) bool {
	there, exists := c.target[path]
	outcome := Outcome{Path: path, Result: Different}
	switch {
	case !exists:
		return false
	case there.read && there.sum == sha256.Sum256(data):
		outcome.Result = Same
	case c.Overwrite:
		return false
	case there.err != nil:
		outcome.Result, outcome.Err = Refused, there.err
	}
	c.note(outcome)
	return true
}
