package history

import (
	"context"
	"errors"

	"obsidian-mcp/internal/fault"
)

var errExceedsHistory = errors.New("the change is larger than the whole history may be")

// Begin records a change that is about to be made. When it returns, the change is
// on disk with every content; if it fails, nothing is recorded.
func (h *History) Begin(ctx context.Context, d Draft) (*Pending, error) {
	files := hashFiles(d.Files)
	w, err := h.write(ctx)
	if err != nil {
		return nil, refused(err)
	}
	defer w.release()
	p, err := w.begin(d, files)
	if err != nil {
		return nil, refused(err)
	}
	return p, nil
}

// refused is the error for a change that cannot be recorded and so must not be made.
func refused(err error) error {
	refusal := fault.StoreUnavailable.Errorf("the change cannot be recorded, so nothing was changed: %w", withoutPath(err))
	if errors.Is(err, errExceedsHistory) {
		return refusal.WithHint("change fewer notes at once, or raise OBSIDIAN_MCP_HISTORY_MB")
	}
	return refusal.WithHint("free disk space or make the state folder writable; OBSIDIAN_MCP_STATE_DIR moves it, " +
		"and OBSIDIAN_MCP_HISTORY=optional makes changes without recording them")
}

func (w *writer) begin(d Draft, files []hashedFile) (*Pending, error) {
	if w.history.isClosed() {
		return nil, errClosed
	}
	to, err := w.target()
	if err != nil {
		return nil, err
	}
	defer to.close()
	now := w.history.o.Now()
	c := Change{
		ID: newID(w.lastID(to), now), Time: now, Tool: d.Tool, Client: d.Client, Token: d.Token, Session: d.Session, Undoes: d.Undoes,
	}
	encoded, err := w.encode(to, c, files)
	if err != nil {
		return nil, err
	}
	w.pruneIfDue(to, int64(len(encoded.data)))
	if to.view == nil {
		err = w.start(to.frames.name, encoded.data)
	} else {
		err = w.append(to.view, encoded.data, durable)
	}
	if err != nil {
		return nil, err
	}
	w.history.contents.add(to, encoded)
	return &Pending{history: w.history, id: c.ID, at: location{to.frames.name, encoded.change}}, nil
}

func (h *History) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}

// lastID returns the id of the newest change, or "".
func (w *writer) lastID(to *target) string {
	if to.view != nil && len(to.view.changes) > 0 {
		return to.view.last().id
	}
	for name := range w.folder.newestFirst() {
		found, err := w.history.readSegment(w.folder, name)
		if err != nil || found == nil {
			continue // nobody has seen its ids
		}
		found.close()
		if len(found.changes) > 0 {
			return found.last().id
		}
	}
	return ""
}
