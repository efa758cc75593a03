package ops

import (
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/vault"
)

// move is a file that gets another path, and what that does to links.
//
// What a link of an open note means is found out among the files that the
// caller sees: if a closed file of the same name counted, its absence would
// have shown, and its place could be found by trying. So a link of an open note
// to a closed one looks like one to nothing, and stays; one to the moved file
// is written as its whole path, needed or not.
//
// In closed notes links mean what they mean in the whole vault. For a limited
// caller those are left alone that mean another file once the moved one is out
// of the way: otherwise somebody who makes a note of the right name, and then
// moves it, could write into closed notes.
type move struct {
	all      *vault.Relinking
	old, to  vpath.Path
	inOpen   *edit.Relinker
	inClosed *edit.Relinker
}

func newMove(p *plan, old, to vpath.Path, format edit.LinkFormat) *move {
	moves := map[vpath.Path]vpath.Path{old: to}
	m := &move{all: p.Relinking, old: old, to: to, inOpen: edit.NewRelinker(p.seen.Paths, moves, format)}
	m.inClosed = m.inOpen
	if m.all.Limited() {
		m.inOpen.Pin() // a closed file of the same name must not get them
		m.inClosed = edit.NewRelinker(m.all.Snapshot.Paths, moves, m.all.Format).
			Spare(func(file vpath.Path) func(string) bool { return spares(m.all, file, old) })
	}
	return m
}

// relinker writes the links of a file.
func (m *move) relinker(path vpath.Path) *edit.Relinker {
	if m.all.Open(path) {
		return m.inOpen
	}
	return m.inClosed
}

// breaks counts the links of a file that have to be rewritten.
func (m *move) breaks(entry *index.Entry) int {
	count := 0
	relink := m.relinker(entry.Path)
	for _, link := range entry.Links {
		if link.Exact {
			if found, ok := m.all.Snapshot.Paths.Find(vpath.Path(link.Path)); ok && found == m.old {
				count++
			}
		} else if relink.Breaks(entry.Path, link.Path) {
			count++
		}
	}
	return count
}

// relinked rewrites the links of a file, and tells how many those are.
func (m *move) relinked(path vpath.Path, data []byte) ([]md.Splice, int) {
	var parser index.Parser
	return m.splices(path, data), m.breaks(parser.Parse(path, data))
}

// splices rewrite the links of a file. What is neither note nor canvas has
// none.
func (m *move) splices(path vpath.Path, data []byte) []md.Splice {
	relink := m.relinker(path)
	switch {
	case path.IsCanvas():
		splices, _ := relink.Canvas(path, data)
		return splices
	case path.IsNote():
		if note := openNote(data); note != nil {
			return relink.Note(path, note)
		}
	}
	return nil
}

// spares decides which links of a closed file to one that moves or goes are
// left alone.
func spares(all *vault.Relinking, file, going vpath.Path) func(linkPath string) bool {
	if !all.Limited() || all.Open(file) {
		return nil
	}
	now := all.Snapshot.Paths.From(file)
	rest := all.Snapshot.Paths.With([]vpath.Path{going}, nil).From(file)
	return func(linkPath string) bool {
		found, ok := now.Resolve(linkPath)
		if !ok || found != going {
			return false
		}
		_, other := rest.Resolve(linkPath)
		return other
	}
}
