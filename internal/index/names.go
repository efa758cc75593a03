package index

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
)

// Named is a note with the name that tools know it by.
type Named struct {
	Name string
	Path vpath.Path
}

// Name returns what tools call a file: its base name without ".md" if no other file has that name, else its path.
// Find always leads from the name back to the file.
func (s *Snapshot) Name(path vpath.Path) string {
	name := string(path)
	if s.Paths.IsUnique(path) {
		name = path.Base()
	}
	if path.IsNote() {
		if short := name[:len(name)-len(vpath.NoteExt)]; vpath.WithNoteExt(short) != short {
			return short
		}
	}
	return name
}

// Find returns the file that a name means: a base name or a path, with or without ".md". An exact match wins over
// one that ignores letter case and Unicode normal form.
func (s *Snapshot) Find(name string) (vpath.Path, error) {
	path, err := vpath.ParseNote(name)
	if err != nil {
		return "", err
	}
	if s.Has(path) {
		return path, nil
	}
	found := s.Paths.Named(path.Base())
	same := slices.DeleteFunc(slices.Clone(found), func(p vpath.Path) bool { return p.Key() != path.Key() })
	if path.Dir() != "" {
		return s.only(name, same)
	}
	exact := slices.DeleteFunc(slices.Clone(found), func(p vpath.Path) bool { return p.Base() != path.Base() })
	if len(exact) > 0 {
		return s.only(name, exact)
	}
	if len(same) > 0 {
		return s.only(name, same)
	}
	return s.only(name, found)
}

func (s *Snapshot) only(name string, found []vpath.Path) (vpath.Path, error) {
	switch len(found) {
	case 0:
		return "", NotFound(name)
	case 1:
		return found[0], nil
	}
	return "", Ambiguous(name, found)
}

// Ambiguous is the error for a name that several notes have.
func Ambiguous(name string, notes []vpath.Path) error {
	paths := make([]string, len(notes))
	for i, path := range notes {
		paths[i] = string(path)
	}
	slices.Sort(paths)
	return fault.AmbiguousName.Errorf("several notes are called '%s': %s", name, strings.Join(paths, ", ")).
		WithHint("give the path")
}

// NotFound is the error for a name that matches no note.
func NotFound(name string) error { return fault.NotFound.Errorf("Note '%s' not found", name) }

// naming is derived from the paths alone: snapshots share it until a file is added, removed or moved.
type naming struct {
	once   sync.Once
	names  []Named            // of all notes, sorted
	folded []string           // the names without folders, folded
	rank   map[vpath.Path]int // position in names

	windows onceMap[*naming] // the same, limited to the files of a window
}

func (s *Snapshot) naming() *naming {
	s.named.once.Do(func() {
		names := make([]Named, 0, s.Len())
		s.Files(func(path vpath.Path) bool {
			if path.IsNote() {
				names = append(names, Named{s.Name(path), path})
			}
			return true
		})
		order.By(names, func(a, b Named) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path))
		})
		s.named.names = names
		s.named.rank = make(map[vpath.Path]int, len(names))
		s.named.folded = make([]string, len(names))
		for i, note := range names {
			s.named.rank[note.Path], s.named.folded[i] = i, string(vpath.FoldKey(note.Path.Name()))
		}
	})
	return s.named
}

// Names lists all notes by name.
func (s *Snapshot) Names() []Named { return s.naming().names }

// NameIs lists the notes whose base name is a text, ignoring case; by name.
func (s *Snapshot) NameIs(text string) []Named {
	return s.namesWhere(text, func(folded, want string) bool { return folded == want })
}

// NameContains lists the notes whose base name contains a text, ignoring case; by name.
func (s *Snapshot) NameContains(text string) []Named { return s.namesWhere(text, strings.Contains) }

func (s *Snapshot) namesWhere(text string, matches func(folded, want string) bool) []Named {
	want := string(vpath.FoldKey(text))
	naming := s.naming()
	var found []Named
	for i, folded := range naming.folded {
		if matches(folded, want) {
			found = append(found, naming.names[i])
		}
	}
	return found
}

// ByName sorts notes by name.
func (s *Snapshot) ByName(notes []vpath.Path) []Named {
	naming := s.naming()
	ranks := make([]int, 0, len(notes))
	for _, note := range notes {
		if rank, ok := naming.rank[note]; ok {
			ranks = append(ranks, rank)
		}
	}
	slices.Sort(ranks)
	sorted := make([]Named, len(ranks))
	for i, rank := range ranks {
		sorted[i] = naming.names[rank]
	}
	return sorted
}
