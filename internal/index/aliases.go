package index

import (
	"slices"

	"obsidian-mcp/internal/note/vpath"
)

// Aliased lists the notes that have an alias, whatever its letter case and Unicode normal form.
func (s *Snapshot) Aliased(alias string) []vpath.Path {
	notes := notesOf(s.aliases.get(vpath.FoldKey(alias)))
	slices.Sort(notes)
	return slices.Compact(notes)
}
