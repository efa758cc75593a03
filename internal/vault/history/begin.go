package history

import (
	"context"
	"errors"

	"obsidian-mcp/internal/fault"
)

var errTooMuch = errors.New("it is more than the history may hold")

// Begin records a change that is about to be made. Once it has returned, the
// disk has it, with every content; if it fails, nothing of it is there.
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

// refused is what a caller is told whose change is not to be made.
func refused(err error) error {
	told := fault.StoreUnavailable.Errorf("the change cannot be recorded, so nothing was changed: %w", withoutPath(err))
	if errors.Is(err, errTooMuch) {
		return told.WithHint("change fewer notes at once, or allow the history more room with OBSIDIAN_MCP_HISTORY_MB")
	}
	return told.WithHint("make room for the history, or let it be written; OBSIDIAN_MCP_STATE_DIR moves it, and OBSIDIAN_MCP_HISTORY says whether changes are made without it")
}

func (w *writer) begin(d Draft, files []hashedFile) (*Pending, error) {
	if w.isClosed() {
		return nil, errClosed
	}
	to, err := w.target()
	if err != nil {
		return nil, err
	}
	defer to.close()
	now := w.o.Now()
	c := Change{ID: newID(w.lastID(to), now), Time: now, Tool: d.Tool, Client: d.Client, Token: d.Token, Undoes: d.Undoes}
	made, err := w.draw(to, c, files)
	if err != nil {
		return nil, err
	}
	w.pruneIfDue(to, int64(len(made.data)))
	if to.view == nil {
		err = w.start(to.name, made.data)
	} else {
		err = w.append(to.view, made.data, durable)
	}
	if err != nil {
		return nil, err
	}
	w.known.add(to, made)
	return &Pending{history: w.History, id: c.ID, at: place{to.name, made.change}}, nil
}

func (h *History) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}

// lastID is the id of the newest change; "": there is none.
func (w *writer) lastID(to *target) string {
	if to.view != nil && len(to.view.changes) > 0 {
		return to.view.last().id
	}
	for name := range w.folder.newestFirst() {
		found, err := w.look(w.folder, name)
		if err != nil || found == nil {
			continue // no id of it is known to anybody
		}
		found.close()
		if len(found.changes) > 0 {
			return found.last().id
		}
	}
	return ""
}
