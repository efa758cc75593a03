package index

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
)

// Named is a note with the name that tools know it by.
type Named struct {
	Name string
	Path vpath.Path
}

// Name is what tools call a file: its base name without ".md" where no other
// file has it, else its path. Whatever it is, Find gives the file back.
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

// Find is the file that a name means: a base name or a path, with or without
// ".md". It is matched as written first, then without regard to letter case
// and Unicode normal form.
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
	paths := make([]string, len(found))
	for i, path := range found {
		paths[i] = string(path)
	}
	slices.Sort(paths)
	return "", fault.AmbiguousName.Errorf("several notes are called '%s': %s", name, strings.Join(paths, ", ")).
		WithHint("give the path")
}

// NotFound is the error for a name that means no note.
func NotFound(name string) error { return fault.NotFound.Errorf("Note '%s' not found", name) }

// naming is what depends on the paths alone: snapshots share it until a file
// comes, goes or moves.
type naming struct {
	once   sync.Once
	names  []Named // of all notes, sorted
	folded []string
	rank   map[vpath.Path]int // in names

	windows kept[*naming] // what windows show of it
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
		slices.SortFunc(names, func(a, b Named) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path)) })
		s.named.names, s.named.rank, s.named.folded = names, make(map[vpath.Path]int, len(names)), make([]string, len(names))
		for i, one := range names {
			s.named.rank[one.Path], s.named.folded[i] = i, string(vpath.FoldKey(one.Path.Name()))
		}
	})
	return s.named
}

// Names lists all notes by name.
func (s *Snapshot) Names() []Named { return s.naming().names }

// Matching lists the notes whose base name contains a text, or is it, whatever
// the case; by name.
func (s *Snapshot) Matching(text string, whole bool) []Named {
	want := string(vpath.FoldKey(text))
	all := s.naming()
	var found []Named
	for i, name := range all.folded {
		if name == want || !whole && strings.Contains(name, want) {
			found = append(found, all.names[i])
		}
	}
	return found
}

// ByName sorts notes by name.
func (s *Snapshot) ByName(notes []vpath.Path) []Named {
	all := s.naming()
	ranks := make([]int, 0, len(notes))
	for _, note := range notes {
		if rank, ok := all.rank[note]; ok {
			ranks = append(ranks, rank)
		}
	}
	slices.Sort(ranks)
	sorted := make([]Named, len(ranks))
	for i, rank := range ranks {
		sorted[i] = all.names[rank]
	}
	return sorted
}
