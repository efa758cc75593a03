package vault

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"obsidian-mcp/internal/note/vpath"
)

// gate lets one through at a time, and those who wait go away with their
// context.
type gate chan struct{}

func newGate() gate { return make(gate, 1) }

func (g gate) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g gate) leave() { <-g }

// turns has the edits of this process take turns, so that they need not find
// out by conflicts: those of one note among each other, and those of many
// notes with all others. What other programs do is no concern of it.
type turns struct {
	all *semaphore.Weighted // an edit of one note takes one, one of many takes all

	mu    *sync.Mutex // guards notes
	notes map[vpath.Path]*turn
}

// allNotes is more than there are edits at any time.
const allNotes = 1 << 30

type turn struct {
	gate
	users int
}

func newTurns() turns {
	return turns{all: semaphore.NewWeighted(allNotes), mu: new(sync.Mutex), notes: map[vpath.Path]*turn{}}
}

// note waits for the turn to edit one note.
func (t turns) note(ctx context.Context, path vpath.Path) (done func(), err error) {
	if err := t.all.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	t.mu.Lock()
	mine := t.notes[path]
	if mine == nil {
		mine = &turn{gate: newGate()}
		t.notes[path] = mine
	}
	mine.users++
	t.mu.Unlock()
	left := func() {
		t.mu.Lock()
		if mine.users--; mine.users == 0 {
			delete(t.notes, path)
		}
		t.mu.Unlock()
		t.all.Release(1)
	}
	if err := mine.enter(ctx); err != nil {
		left()
		return nil, err
	}
	return func() {
		mine.leave()
		left()
	}, nil
}

// Alone waits until no other edit of this process is under way, and keeps
// others waiting until done: for changes of many notes.
func (v *Vault) Alone(ctx context.Context) (done func(), err error) {
	if err := v.turns.all.Acquire(ctx, allNotes); err != nil {
		return nil, err
	}
	return func() { v.turns.all.Release(allNotes) }, nil
}
