package ops

import (
	"slices"

	"obsidian-mcp/internal/edit"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/md"
	"obsidian-mcp/internal/md/front"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vpath"
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
		m.inClosed = edit.NewRelinker(m.all.Snapshot.Paths, moves, m.all.Format)
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
	relink, spares := m.relinker(entry.Path), m.spares(entry.Path)
	for _, link := range entry.Links {
		if link.Exact {
			if found, ok := m.all.Snapshot.Paths.Find(vpath.Path(link.Path)); ok && found == m.old {
				count++
			}
		} else if relink.Breaks(entry.Path, link.Path) && (spares == nil || !spares(link.Path)) {
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
	relink, spares := m.relinker(path), m.spares(path)
	if path.IsCanvas() {
		splices, err := relink.Canvas(path, data)
		if err != nil || spares == nil {
			return splices
		}
		return without(splices, sparedCards(data, spares))
	}
	if !path.IsNote() {
		return nil
	}
	note := openNote(data)
	switch {
	case note == nil:
		return nil
	case spares == nil:
		return relink.Note(path, note)
	}
	return without(relink.Note(path, note), sparedLinks(note, spares))
}

// spares decides which links of a file are left alone, by their paths; nil: no
// link is.
func (m *move) spares(file vpath.Path) func(linkPath string) bool { return spares(m.all, file, m.old) }

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

// spared are places of a file that are left alone: pieces of links, and texts
// with all that is in them.
type spared struct{ links, texts []md.Span }

// sparedLinks are those of a note. A property is left alone with its value.
func sparedLinks(note *md.Note, spares func(string) bool) spared {
	var places spared
	for _, link := range note.Links {
		if spares(link.Path(note.Source)) {
			places.links = append(places.links, link.PathSpan(note.Source), link.Text)
		}
	}
	block, err := front.Parse(note)
	if err != nil {
		return places
	}
	for _, link := range block.Links() {
		if path, _ := md.SplitTarget(link.Target); spares(path) {
			places.texts = append(places.texts, link.Value.Span)
		}
	}
	return places
}

// sparedCards are those of a canvas, card by card.
func sparedCards(data []byte, spares func(string) bool) spared {
	var places spared
	texts, err := md.ScanCanvas(data)
	if err != nil {
		return places
	}
	for _, text := range texts {
		if text.Kind != md.CanvasMarkdown {
			continue
		}
		card := md.ScanText([]byte(text.Value))
		if slices.ContainsFunc(card.Links, func(link md.Link) bool { return spares(link.Path(card.Source)) }) {
			places.texts = append(places.texts, text.Span)
		}
	}
	return places
}

// without drops the splices that change what is spared.
func without(splices []md.Splice, places spared) []md.Splice {
	return slices.DeleteFunc(splices, func(splice md.Splice) bool {
		return slices.Contains(places.links, splice.Span) ||
			slices.ContainsFunc(places.texts, func(text md.Span) bool { return text.Start <= splice.Start && splice.End <= text.End })
	})
}
