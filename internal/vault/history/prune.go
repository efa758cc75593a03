package history

import (
	"context"
	"errors"
	"os"
	"time"

	"obsidian-mcp/internal/fault"
)

const pruneEvery = time.Hour

// Prune removes whole segments: those whose newest change has expired, and then the
// oldest, until the history fits into its limit. The segment with the newest change
// always stays.
func (h *History) Prune(ctx context.Context) error {
	in, err := h.folder()
	if in == nil {
		return err
	}
	in.close()
	w, err := h.write(ctx)
	if err != nil {
		return pruneError(err)
	}
	defer w.release()
	if err := w.prune("", 0); err != nil {
		return pruneError(err)
	}
	return nil
}

func pruneError(err error) error {
	return fault.StoreUnavailable.Errorf("the history cannot be pruned: %w", withoutPath(err)).
		WithHint("make the state folder writable, or move it with OBSIDIAN_MCP_STATE_DIR")
}

// pruneIfDue makes room for a change of that size.
func (w *writer) pruneIfDue(to *target, bytes int64) {
	if to.view != nil && w.history.o.Now().Sub(w.history.pruned) < pruneEvery {
		return
	}
	if err := w.prune(to.frames.name, bytes); err != nil {
		w.history.o.Log.Warn("the history could not be pruned", "error", withoutPath(err))
	}
}

// prune removes expired segments, and then the oldest ones until there is room for a change of that size. The segment in
// use stays.
func (w *writer) prune(inUse string, bytes int64) error {
	w.history.pruned = w.history.o.Now()
	stays := w.protected(inUse)
	total, sizes := bytes, map[string]int64{}
	var failures error
	var left []string
	for _, name := range w.folder.names {
		info, err := w.folder.root.Lstat(name)
		if err != nil {
			continue // already removed
		}
		if !stays[name] && w.expired(name, info) {
			failures = errors.Join(failures, w.history.disk.remove(w.folder.root, name))
			continue
		}
		left, sizes[name] = append(left, name), info.Size()
		total += info.Size()
	}
	for _, name := range left {
		if total > w.history.o.MaxBytes && !stays[name] {
			failures = errors.Join(failures, w.history.disk.remove(w.folder.root, name))
			total -= sizes[name]
		}
	}
	return failures
}

// protected returns the segments that must stay: the one in use, the newest, which
// a process with another secret may be using, and the one with the newest change.
func (w *writer) protected(inUse string) map[string]bool {
	stays := map[string]bool{inUse: true, w.folder.newest(): true}
	for name := range w.folder.newestFirst() {
		found, err := w.history.readSegment(w.folder, name)
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

// expired reports whether all changes of a segment are too old. A segment that was
// created recently need not be read; for one that cannot be read, the file's
// modification time counts.
func (w *writer) expired(name string, info os.FileInfo) bool {
	before := w.history.o.Now().Add(-w.history.o.Keep)
	if !stampOf(name).Before(before) {
		return false
	}
	newest := info.ModTime()
	if v, err := w.history.readSegment(w.folder, name); err == nil && v != nil {
		defer v.close()
		if len(v.changes) > 0 {
			if c, err := v.change(v.last()); err == nil {
				newest = c.Time
			}
		}
	}
	return newest.Before(before)
}
