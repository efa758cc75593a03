package ops

import (
	"maps"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/vault"
	"slices"
)

// move is a set of files that get other paths, and its effect on links.
//
// Links in open notes are resolved among the files that the caller sees. If closed
// files of the same name counted, a caller could find out where they are by
// renaming notes and looking at the links. So a link from an open note to a closed
// one looks broken and stays as it is, and a link to the moved file is always
// written with its whole path, needed or not.
//
// Links in closed notes are resolved in the whole vault. For a limited caller,
// links that would resolve to another file without the moved ones are left alone:
// otherwise a caller could create a note with a suitable name, move it, and so
// write into closed notes.
type move struct {
	vault    *vault.Relinking
	to       map[vpath.Path]vpath.Path // the new paths, by the old ones
	inOpen   *edit.Relinker
	inClosed *edit.Relinker
}

func newMove(p *plan, to map[vpath.Path]vpath.Path, format edit.LinkFormat) *move {
	return p.linksTo(to, format, func(paths *vpath.Set, format edit.LinkFormat) *edit.Relinker {
		return edit.NewRelinker(paths, to, format)
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
	return p.linksTo(map[vpath.Path]vpath.Path{deleted: to}, format, func(paths *vpath.Set, format edit.LinkFormat) *edit.Relinker {
		return edit.NewRedirect(paths, deleted, to, lacks, format)
	})
}

// linksTo makes links to the old paths lead to the new ones, with relinkers that relink makes.
func (p *plan) linksTo(
	to map[vpath.Path]vpath.Path, format edit.LinkFormat, relink func(*vpath.Set, edit.LinkFormat) *edit.Relinker,
) *move {
	m := &move{vault: p.vault, to: to, inOpen: relink(p.seen.Paths, format)}
	m.inClosed = m.inOpen
	if m.vault.Limited() {
		m.inOpen.Pin() // so that no closed file of the same name gets them
		m.inClosed = relink(m.vault.Snapshot.Paths, m.vault.Format).
			Spare(sparedLinks(m.vault, slices.Collect(maps.Keys(to))))
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
			if found, ok := m.vault.Snapshot.Paths.Find(vpath.Path(link.Path)); ok && m.to[found] != "" {
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
	return linkSplices(m.relinker(path), path, data)
}

func linkSplices(relink fileRelinker, path vpath.Path, data []byte) []md.Splice {
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

// fileRelinker rewrites the links of notes and canvases.
type fileRelinker interface {
	Note(path vpath.Path, note *md.Note) []md.Splice
	Canvas(path vpath.Path, src []byte) ([]md.Splice, error)
}

// sparedLinks decides which links from a closed file to files that are moved or deleted
// are left alone. See move.
func sparedLinks(all *vault.Relinking, leaving []vpath.Path) func(file vpath.Path) func(linkPath string) bool {
	if !all.Limited() {
		return func(vpath.Path) func(string) bool { return nil }
	}
	remaining := all.Snapshot.Paths.With(leaving, nil)
	leaves := map[vpath.Path]bool{}
	for _, path := range leaving {
		leaves[path] = true
	}
	return func(file vpath.Path) func(string) bool {
		if all.Open(file) {
			return nil
		}
		now, without := all.Snapshot.Paths.From(file), remaining.From(file)
		return func(linkPath string) bool {
			found, ok := now.Resolve(linkPath)
			if !ok || !leaves[found] {
				return false
			}
			_, elsewhere := without.Resolve(linkPath)
			return elsewhere
		}
	}
}
