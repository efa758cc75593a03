package history

import (
	"context"
	"errors"
	"os"
	"time"

	"obsidian-mcp/internal/fault"
)

const pruneEvery = time.Hour

// Prune removes whole segments: those whose newest change is older than is to
// be kept, and then the oldest, until all is no more than it may be. That of
// the newest change stays in any case.
func (h *History) Prune(ctx context.Context) error {
	in, err := h.folder()
	if in == nil {
		return err
	}
	in.close()
	w, err := h.write(ctx)
	if err != nil {
		return unpruned(err)
	}
	defer w.release()
	if err := w.prune("", 0); err != nil {
		return unpruned(err)
	}
	return nil
}

func unpruned(err error) error {
	return fault.StoreUnavailable.Errorf("the history cannot be pruned: %w", withoutPath(err)).
		WithHint("let the state folder be written, or move it with OBSIDIAN_MCP_STATE_DIR")
}

// pruneIfDue makes room for a change that is about to be written.
func (w *writer) pruneIfDue(to *target, more int64) {
	if to.view != nil && w.o.Now().Sub(w.pruned) < pruneEvery {
		return
	}
	if err := w.prune(to.name, more); err != nil {
		w.o.Log.Warn("the history is not pruned", "error", withoutPath(err))
	}
}

// prune removes what is too old and what is too much if there will be more.
// The named segment stays.
func (w *writer) prune(inUse string, more int64) error {
	w.pruned = w.o.Now()
	stays := w.lasting(inUse)
	total, sizes := more, map[string]int64{}
	var problems error
	var left []string
	for _, name := range w.folder.names {
		info, err := w.folder.root.Lstat(name)
		if err != nil {
			continue // somebody has removed it
		}
		if !stays[name] && w.expired(name, info) {
			problems = errors.Join(problems, w.disk.remove(w.folder.root, name))
			continue
		}
		left, sizes[name] = append(left, name), info.Size()
		total += info.Size()
	}
	for _, name := range left {
		if total > w.o.Most && !stays[name] {
			problems = errors.Join(problems, w.disk.remove(w.folder.root, name))
			total -= sizes[name]
		}
	}
	return problems
}

// lasting are the segments that stay: the one in use, the newest, which may be
// in use by somebody with another secret, and that of the newest change.
func (w *writer) lasting(inUse string) map[string]bool {
	stays := map[string]bool{inUse: true, w.folder.newest(): true}
	for name := range w.folder.newestFirst() {
		found, err := w.look(w.folder, name)
		if err != nil || found == nil {
			continue
		}
		found.close()
		if len(found.changes) > 0 {
			stays[name] = true
			break
		}
	}
	return stays
}

// expired reports whether all of a segment is too old. One that was begun
// later than that need not be read; of one that cannot be read the file's time
// counts.
func (w *writer) expired(name string, info os.FileInfo) bool {
	before := w.o.Now().Add(-w.o.Keep)
	if !stampOf(name).Before(before) {
		return false
	}
	newest := info.ModTime()
	if v, err := w.look(w.folder, name); err == nil && v != nil {
		defer v.close()
		if len(v.changes) > 0 {
			if c, err := v.change(v.last()); err == nil {
				newest = c.Time
			}
		}
	}
	return newest.Before(before)
}
