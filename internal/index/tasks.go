package index

import (
	"sync"

	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/tasks"
)

// taskMemo keeps the tasks of a snapshot, or those of an earlier one and what has changed since.
type taskMemo struct {
	mu       sync.Mutex // guards what follows
	settings task.Settings
	set      *tasks.Set // nil until somebody asks
	isStale  bool       // the set is of an earlier snapshot
	changed  map[vpath.Path]bool
	whole    *Snapshot // what the snapshot is a window of, or nil
}

// Tasks returns the tasks of all notes, as some settings define them. They are read once; after a change, only those of
// the changed notes are.
func (s *Snapshot) Tasks(settings task.Settings) *tasks.Set {
	s.tasks.mu.Lock()
	defer s.tasks.mu.Unlock()
	m := &s.tasks
	reader := tasks.NewReader(settings)
	isKnown := m.set != nil && m.settings.Equal(settings)
	switch {
	case isKnown && !m.isStale:
	case m.whole != nil:
		m.set = m.whole.Tasks(settings).Only(func(path string) bool { return s.Has(vpath.Path(path)) })
	case isKnown:
		changed := make(map[string][]*tasks.Item, len(m.changed))
		for path := range m.changed {
			changed[string(path)] = s.tasksOf(path, reader)
		}
		m.set = m.set.With(changed)
	default:
		var notes [][]*tasks.Item
		s.Files(func(path vpath.Path) bool {
			notes = append(notes, s.tasksOf(path, reader))
			return true
		})
		m.set = tasks.NewSet(notes)
	}
	m.settings, m.isStale, m.changed = settings, false, nil
	return m.set
}

// tasksOf reads the tasks of a note.
func (s *Snapshot) tasksOf(path vpath.Path, reader *tasks.Reader) []*tasks.Item {
	doc := s.docOf(path)
	if doc < 0 || !path.IsNote() {
		return nil
	}
	entry := s.Entry(path)
	if len(entry.Boxes) == 0 {
		return nil
	}
	var items []*tasks.Item
	s.text.Text(doc, func(text []byte, _ bool) {
		items = reader.Note(string(path), text, entry.Boxes, func(i int) string { return entry.Headings[i].Text })
	})
	return items
}

// after takes over the tasks of an earlier snapshot, from which some files differ.
func (m *taskMemo) after(earlier *taskMemo, changed ...[]vpath.Path) {
	earlier.mu.Lock()
	defer earlier.mu.Unlock()
	if earlier.set == nil {
		return
	}
	m.set, m.settings, m.isStale, m.changed = earlier.set, earlier.settings, true, map[vpath.Path]bool{}
	for path := range earlier.changed {
		m.changed[path] = true
	}
	for _, paths := range changed {
		for _, path := range paths {
			m.changed[path] = true
		}
	}
}
