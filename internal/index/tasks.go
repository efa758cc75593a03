package index

import (
	"obsidian-mcp/internal/note/task"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/tasks"
)

// Tasks returns the tasks of all notes, as some settings define them. They are read once; after a change, only those of
// the changed notes are.
func (s *Snapshot) Tasks(settings task.Settings) *tasks.Set {
	reader := tasks.NewReader(settings)
	return s.tasks.get(s, settings, derivation[task.Settings, *tasks.Set]{
		same: task.Settings.Equal,
		all: func() *tasks.Set {
			var notes [][]*tasks.Item
			s.Files(func(path vpath.Path) bool {
				notes = append(notes, s.tasksOf(path, reader))
				return true
			})
			return tasks.NewSet(notes)
		},
		update: func(set *tasks.Set, changed map[vpath.Path]bool) *tasks.Set {
			notes := make(map[string][]*tasks.Item, len(changed))
			for path := range changed {
				notes[string(path)] = s.tasksOf(path, reader)
			}
			return set.With(notes)
		},
		through: func(whole *Snapshot) *tasks.Set {
			return whole.Tasks(settings).Only(func(path string) bool { return s.Has(vpath.Path(path)) })
		},
	})
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
