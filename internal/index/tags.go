package index

import (
	"cmp"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/vpath"
)

// Tags lists every tag of the vault in the vault's own spelling, sorted.
func (s *Snapshot) Tags() []string {
	var all []string
	s.tags.keys(func(key vpath.Key) bool {
		all = append(all, spelling(s.tags.get(key)))
		return true
	})
	slices.Sort(all)
	return all
}

// Tag is the vault's spelling of a tag, and whether any note has it.
func (s *Snapshot) Tag(tag string) (string, bool) {
	notes := s.tags.get(vpath.FoldKey(tag))
	if len(notes) == 0 {
		return tag, false
	}
	return spelling(notes), true
}

// spelling is that of the first note by path.
func spelling(notes []tagged) string {
	return slices.MinFunc(notes, func(a, b tagged) int { return cmp.Compare(a.note, b.note) }).tag
}

// Tagged lists the notes that have a tag, in no order. With its children, "a"
// finds "a/b" too.
func (s *Snapshot) Tagged(tag string, children bool) []vpath.Path {
	key := vpath.FoldKey(tag)
	lists := [][]tagged{s.tags.get(key)}
	if children {
		s.tags.keys(func(other vpath.Key) bool {
			if strings.HasPrefix(string(other), string(key)) && strings.HasPrefix(string(other[len(key):]), "/") {
				lists = append(lists, s.tags.get(other))
			}
			return true
		})
	}
	if len(lists) == 1 {
		return single(lists[0])
	}
	seen := map[vpath.Path]bool{}
	var found []vpath.Path
	for _, notes := range lists {
		for _, one := range notes {
			if !seen[one.note] {
				seen[one.note] = true
				found = append(found, one.note)
			}
		}
	}
	return found
}

// single lists the notes of one tag. One that has it in two spellings stands
// there twice in a row.
func single(notes []tagged) []vpath.Path {
	found := make([]vpath.Path, 0, len(notes))
	for i, one := range notes {
		if i == 0 || one.note != notes[i-1].note {
			found = append(found, one.note)
		}
	}
	return found
}
