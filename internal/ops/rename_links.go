package ops

import (
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/vault"
)

// move is a file that gets another path, and its effect on links.
//
// Links in open notes are resolved among the files that the caller sees. If closed
// files of the same name counted, a caller could find out where they are by
// renaming notes and looking at the links. So a link from an open note to a closed
// one looks broken and stays as it is, and a link to the moved file is always
// written with its whole path, needed or not.
//
// Links in closed notes are resolved in the whole vault. For a limited caller,
// links that would resolve to another file without the moved one are left alone:
// otherwise a caller could create a note with a suitable name, move it, and so
// write into closed notes.
type move struct {
	vault    *vault.Relinking
	old, to  vpath.Path
	inOpen   *edit.Relinker
	inClosed *edit.Relinker
}

func newMove(p *plan, old, to vpath.Path, format edit.LinkFormat) *move {
	return p.linksTo(old, to, format, func(paths *vpath.Set, format edit.LinkFormat) *edit.Relinker {
		return edit.NewRelinker(paths, map[vpath.Path]vpath.Path{old: to}, format)
	})
}

// newRedirect is the effect on links of deleting a file in favour of another.
func newRedirect(p *plan, deleted, to vpath.Path, format edit.LinkFormat) *move {
	known := map[string]bool{}
	lacks := func(subpath string) bool {
		has, ok := known[subpath]
		if !ok {
			has = !to.IsNote() || p.seen.HasPart(to, subpath)
			known[subpath] = has
		}
		return !has
	}
	return p.linksTo(deleted, to, format, func(paths *vpath.Set, format edit.LinkFormat) *edit.Relinker {
		return edit.NewRedirect(paths, deleted, to, lacks, format)
	})
}

// linksTo makes links to the old path lead to another, with relinkers that relink makes.
func (p *plan) linksTo(
	old, to vpath.Path, format edit.LinkFormat, relink func(*vpath.Set, edit.LinkFormat) *edit.Relinker,
) *move {
	m := &move{vault: p.vault, old: old, to: to, inOpen: relink(p.seen.Paths, format)}
	m.inClosed = m.inOpen
	if m.vault.Limited() {
		m.inOpen.Pin() // so that no closed file of the same name gets them
		m.inClosed = relink(m.vault.Snapshot.Paths, m.vault.Format).
			Spare(func(file vpath.Path) func(string) bool { return sparedLinks(m.vault, file, old) })
	}
	return m
}

// relinker returns the relinker for a file.
func (m *move) relinker(path vpath.Path) *edit.Relinker {
	if m.vault.Open(path) {
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
			if found, ok := m.vault.Snapshot.Paths.Find(vpath.Path(link.Path)); ok && found == m.old {
				count++
			}
		} else if relink.Breaks(entry.Path, link.Path) {
			count++
		}
	}
	return count
}

// relinked returns the splices that rewrite the links of a file, and the number of links.
func (m *move) relinked(path vpath.Path, data []byte) ([]md.Splice, int) {
	var parser index.Parser
	return m.splices(path, data), m.breaks(parser.Parse(path, data))
}

// splices returns the splices that rewrite the links of a note or canvas. Other files
// have no links.
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

// sparedLinks decides which links from a closed file to one that is moved or deleted
// are left alone. See move.
func sparedLinks(all *vault.Relinking, file, leaving vpath.Path) func(linkPath string) bool {
	if !all.Limited() || all.Open(file) {
		return nil
	}
	now := all.Snapshot.Paths.From(file)
	without := all.Snapshot.Paths.With([]vpath.Path{leaving}, nil).From(file)
	return func(linkPath string) bool {
		found, ok := now.Resolve(linkPath)
		if !ok || found != leaving {
			return false
		}
		_, elsewhere := without.Resolve(linkPath)
		return elsewhere
	}
}
