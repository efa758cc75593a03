package vault

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"obsidian-mcp/internal/note/vpath"
)

// gate is a mutex whose waiters give up when their context ends.
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

// turns serializes the edits of this process, so that they do not run into
// conflicts with each other: edits of the same note wait for one another, and an
// exclusive edit waits for all. It does not concern other programs.
type turns struct {
	all *semaphore.Weighted // an edit of a note takes 1, an exclusive edit takes allNotes

	mu    *sync.Mutex // guards notes
	notes map[vpath.Path]*turn
}

// allNotes is more than the number of simultaneous edits.
const allNotes = 1 << 30

// turn is the lock of one note.
type turn struct {
	gate  gate
	users int // how many hold it or wait for it
}

func newTurns() turns {
	return turns{all: semaphore.NewWeighted(allNotes), mu: new(sync.Mutex), notes: map[vpath.Path]*turn{}}
}

// note waits for the turn to edit a note.
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
	release := func() {
		t.mu.Lock()
		if mine.users--; mine.users == 0 {
			delete(t.notes, path)
		}
		t.mu.Unlock()
		t.all.Release(1)
	}
	if err := mine.gate.enter(ctx); err != nil {
		release()
		return nil, err
	}
	return func() {
		mine.gate.leave()
		release()
	}, nil
}

// Exclusive waits until no other edit of this process is running, and makes
// others wait until done is called: for changes of many notes.
func (v *Vault) Exclusive(ctx context.Context) (done func(), err error) {
	if err := v.turns.all.Acquire(ctx, allNotes); err != nil {
		return nil, err
	}
	return func() { v.turns.all.Release(allNotes) }, nil
}
