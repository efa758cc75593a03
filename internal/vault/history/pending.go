package history

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"obsidian-mcp/internal/fault"
)

// Pending is a recorded change whose outcome is not recorded yet.
type Pending struct {
	history *History
	id      string
	at      location

	mu       sync.Mutex // guards recorded, and is held while the outcome is written
	recorded bool
}

// ID returns the id of the change.
func (p *Pending) ID() string { return p.id }

// Made records that the change was made, and the paths of trashed files in the trash.
// Only the first outcome counts.
func (p *Pending) Made(trash map[string]string) error {
	return p.record(outcome{made: true, trash: trash})
}

// Dropped records that nothing was changed.
func (p *Pending) Dropped() error { return p.record(outcome{}) }

// record does not wait for the disk: after a power cut the notes themselves show
// whether the change was made.
func (p *Pending) record(o outcome) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.recorded {
		return nil
	}
	o.id, o.change = p.id, p.at.offset
	err := p.history.recordOutcome(context.Background(), p.at.segment, o)
	p.recorded = err == nil
	return err
}

// Settle records the probable outcome of a change on behalf of the process that made
// it. If that process is alive after all, the outcome that it records itself takes
// precedence, whether it comes earlier or later.
func (h *History) Settle(ctx context.Context, id string, made bool) error {
	change, _, err := h.find(ctx, id)
	if err != nil {
		return err
	}
	return h.recordOutcome(ctx, change.at.segment, outcome{change: change.at.offset, id: id, made: made, guess: true})
}

// recordOutcome appends an outcome to the segment of its change, unless that was
// pruned meanwhile.
func (h *History) recordOutcome(ctx context.Context, segment string, o outcome) error {
	w, err := h.write(ctx)
	if err != nil {
		return outcomeError(err)
	}
	defer w.release()
	v, err := h.readSegment(w.folder, segment)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && v == nil {
		err = errDamaged
	}
	if err != nil {
		return outcomeError(err)
	}
	defer v.close()
	data, err := v.frames.append(nil, v.end, outcomeFrame, encodeOutcome(o))
	if err == nil {
		err = w.append(v, data, visible)
	}
	if err != nil {
		return outcomeError(err)
	}
	return nil
}

func outcomeError(err error) error {
	return fault.StoreUnavailable.Errorf("the outcome of the change cannot be recorded: %w", withoutPath(err)).
		WithHint("free disk space or make the state folder writable")
}
