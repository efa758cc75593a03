package history

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"obsidian-mcp/internal/fault"
)

// Pending is a change that was recorded, and of which is not yet said what
// became of it.
type Pending struct {
	history *History
	id      string
	at      place

	mu   sync.Mutex // guards what follows, and is held while it is being said
	said bool
}

// ID names the change.
func (p *Pending) ID() string { return p.id }

// Made says that the change was made, and where in the trash each trashed file
// went. What was said first holds.
func (p *Pending) Made(trash map[string]string) error {
	return p.say(outcome{made: true, trash: trash})
}

// Dropped says that nothing was changed.
func (p *Pending) Dropped() error { return p.say(outcome{}) }

// say does not wait for the disk: after a power cut the notes themselves tell
// what became of the change.
func (p *Pending) say(o outcome) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.said {
		return nil
	}
	o.id, o.change = p.id, p.at.offset
	err := p.history.tell(context.Background(), p.at.segment, o)
	p.said = err == nil
	return err
}

// Settle says what probably became of a change, for the process that made it. If
// that lives after all, its own word counts, before or after.
func (h *History) Settle(ctx context.Context, id string, made bool) error {
	_, at, err := h.find(ctx, id)
	if err != nil {
		return err
	}
	return h.tell(ctx, at.segment, outcome{change: at.offset, id: id, made: made, guess: true})
}

// tell appends an outcome to the segment of its change. For one that was
// pruned meanwhile there is nothing to say.
func (h *History) tell(ctx context.Context, segment string, o outcome) error {
	w, err := h.write(ctx)
	if err != nil {
		return untold(err)
	}
	defer w.release()
	v, err := w.look(w.folder, segment)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && v == nil {
		err = errDamaged
	}
	if err != nil {
		return untold(err)
	}
	defer v.close()
	data, err := v.frames.append(nil, v.end, outcomeFrame, encodeOutcome(o))
	if err == nil {
		err = w.append(v, data, visible)
	}
	if err != nil {
		return untold(err)
	}
	return nil
}

func untold(err error) error {
	return fault.StoreUnavailable.Errorf("what became of the change cannot be recorded: %w", withoutPath(err)).
		WithHint("make room for the history, or let it be written")
}
