package vault

import (
	"sync"

	"obsidian-mcp/internal/vpath"
)

// turns has the edits of this process take turns, so that they need not find
// out by conflicts: those of one note among each other, and those of many
// notes with all others. What other programs do is no concern of it.
type turns struct {
	many sync.RWMutex

	mu    sync.Mutex // guards notes
	notes map[vpath.Path]*turn
}

type turn struct {
	sync.Mutex
	waiting int
}

// note waits for the turn to edit one note.
func (t *turns) note(path vpath.Path) (done func()) {
	t.many.RLock()
	t.mu.Lock()
	if t.notes == nil {
		t.notes = map[vpath.Path]*turn{}
	}
	mine := t.notes[path]
	if mine == nil {
		mine = &turn{}
		t.notes[path] = mine
	}
	mine.waiting++
	t.mu.Unlock()
	mine.Lock()
	return func() {
		mine.Unlock()
		t.mu.Lock()
		if mine.waiting--; mine.waiting == 0 {
			delete(t.notes, path)
		}
		t.mu.Unlock()
		t.many.RUnlock()
	}
}

// Alone waits until no other edit of this process is under way, and keeps
// others waiting until done: for changes of many notes.
func (v *Vault) Alone() (done func()) {
	v.turns.many.Lock()
	return v.turns.many.Unlock
}
