package call

import (
	"bytes"
	"context"
	"sync"
	"time"
)

// Memory is what a session was shown of a vault's notes, so that a tool can tell that a note has changed since. It is
// safe for use by several goroutines, and bounded: what was shown longest ago is forgotten first.
type Memory struct {
	mu    sync.Mutex // guards the fields below
	notes map[string]Shown
	order []string // of the notes, the one shown longest ago first
	text  int      // bytes of all texts

	droppedTags map[string]bool // tags whose last use the session removed
}

// Shown is how a session knows a note.
type Shown struct {
	Hash string    // of the note's bytes
	Text []byte    // what the note was then; nil if that is not remembered
	Cut  bool      // a limit cut what was shown
	Seen int       // lines from the start that were shown, if it did
	When time.Time // of the last time
}

// Bounds of a memory.
const (
	maxNotes    = 2000
	maxDropped  = 1000
	maxText     = 1 << 20
	maxNoteText = 64 << 10
	memoryLife  = 24 * time.Hour
)

// put remembers a note, as the one shown last.
func (m *Memory) put(path string, shown Shown) {
	m.remove(path)
	if m.notes == nil {
		m.notes = map[string]Shown{}
	}
	m.notes[path] = shown
	m.order = append(m.order, path)
	m.text += len(shown.Text)
	for len(m.order) > maxNotes {
		m.remove(m.order[0])
	}
	for i := 0; m.text > maxText && i < len(m.order); i++ {
		old := m.notes[m.order[i]]
		m.text -= len(old.Text)
		old.Text = nil
		m.notes[m.order[i]] = old
	}
}

func (m *Memory) remove(path string) {
	old, ok := m.notes[path]
	if !ok {
		return
	}
	delete(m.notes, path)
	m.text -= len(old.Text)
	for i, other := range m.order {
		if other == path {
			m.order = append(m.order[:i:i], m.order[i+1:]...)
			return
		}
	}
}

// follow updates what is known about files that the session itself has changed. A file that somebody else had changed
// before is not known any better than it was.
func (m *Memory) follow(files []File, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, file := range files {
		shown, known := m.notes[file.Path]
		path := file.Path
		if file.To != "" {
			m.remove(path)
			path = file.To
		}
		switch {
		case file.After == "":
			m.remove(path)
		case !known && file.Before == "":
			m.put(path, Shown{Hash: file.After, When: now})
		case known && shown.Hash == file.Before:
			shown.Hash, shown.Text, shown.When = file.After, nil, now
			m.put(path, shown)
		case known:
			m.put(path, shown)
		}
	}
}

// memories are those of a session, the most specific first.
type memories []*Memory

type memoriesKey struct{}

// WithMemories returns a context whose calls belong to a session with these memories, the most specific first: what the
// first does not know, the next may.
func WithMemories(ctx context.Context, all ...*Memory) context.Context {
	return context.WithValue(ctx, memoriesKey{}, memories(all))
}

func memoriesOf(ctx context.Context) memories {
	all, _ := ctx.Value(memoriesKey{}).(memories)
	return all
}

// NoteShown records that the caller was shown a note. Its text is copied, unless it is too large to remember.
func NoteShown(ctx context.Context, path string, shown Shown) {
	all := memoriesOf(ctx)
	if len(all) == 0 {
		return
	}
	if len(shown.Text) > maxNoteText {
		shown.Text = nil
	}
	shown.Text = bytes.Clone(shown.Text)
	shown.When = time.Now()
	for _, m := range all {
		m.mu.Lock()
		m.put(path, shown)
		m.mu.Unlock()
	}
}

// ShownOf returns how the caller knows a note, and whether it was shown the note in the last day.
func ShownOf(ctx context.Context, path string) (Shown, bool) {
	for _, m := range memoriesOf(ctx) {
		m.mu.Lock()
		shown, ok := m.notes[path]
		m.mu.Unlock()
		if ok && time.Since(shown.When) < memoryLife {
			return shown, true
		}
	}
	return Shown{}, false
}

// NoteDroppedTag records that the caller removed the last use of a tag.
func NoteDroppedTag(ctx context.Context, tag string) {
	for _, m := range memoriesOf(ctx) {
		m.mu.Lock()
		if m.droppedTags == nil {
			m.droppedTags = map[string]bool{}
		}
		if len(m.droppedTags) < maxDropped {
			m.droppedTags[tag] = true
		}
		m.mu.Unlock()
	}
}

// DroppedTag reports whether the caller's session removed the last use of a tag.
func DroppedTag(ctx context.Context, tag string) bool {
	all := memoriesOf(ctx)
	if len(all) == 0 {
		return false
	}
	own := all[0]
	own.mu.Lock()
	defer own.mu.Unlock()
	return own.droppedTags[tag]
}
