package ops

import (
	"cmp"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/passage"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
)

// linkedNote is a note that is linked with one in the answer.
type linkedNote struct {
	path  vpath.Path
	from  vpath.Path // the note in the answer, or one between
	isOut bool       // from links to it
	links int        // with notes in the answer
	hop   int
}

// mostLinks is how many links of a note are followed.
const mostLinks = 200

// linked finds the notes that are linked with those in the answer, those with the most links to them first.
func (g *gathering) linked(chosen []*part) []*linkedNote {
	found := map[vpath.Path]*linkedNote{}
	var all []*linkedNote
	shown := map[vpath.Path]bool{}
	var from []vpath.Path
	for _, p := range chosen {
		if path := p.note.path; !shown[path] {
			shown[path] = true
			from = append(from, path)
		}
	}
	for hop := 1; hop <= g.depth; hop++ {
		var next []vpath.Path
		for _, path := range from {
			for _, link := range g.around(path) {
				if shown[link.path] {
					continue
				}
				if known := found[link.path]; known != nil {
					known.links++
					continue
				}
				link.hop, link.links = hop, 1
				found[link.path] = &link
				all = append(all, &link)
				next = append(next, link.path)
			}
		}
		from = next
	}
	order.Stably(all, func(a, b *linkedNote) int { return cmp.Or(cmp.Compare(a.hop, b.hop), cmp.Compare(b.links, a.links)) })
	return all
}

// around lists the notes that a note links to, then those that link to it, each once.
func (g *gathering) around(path vpath.Path) (links []linkedNote) {
	seen := map[vpath.Path]bool{path: true}
	add := func(to vpath.Path, isOut bool) {
		if to != "" && to.IsNote() && !seen[to] && len(links) < mostLinks {
			seen[to] = true
			links = append(links, linkedNote{path: to, from: path, isOut: isOut})
		}
	}
	for _, link := range g.s.Outgoing(path) {
		add(link.To, true)
	}
	for _, link := range g.s.Backlinks(path) {
		add(link.From, false)
	}
	return links
}

// aboutNote is what a note says about itself, or how it begins, in a line.
func aboutNote(s *index.Snapshot, path vpath.Path) string {
	for _, name := range []string{"description", "summary"} {
		if text := oneLine(propertyText(s.Entry(path), name)); text != "" {
			return shortLine(text, lineLength)
		}
	}
	note := md.Scan([]byte(s.Text(path)))
	for _, first := range passage.Split(note, lineLength) {
		if line := oneLine(index.Plain(string(first.Of(note.Source)))); line != "" {
			return shortLine(line, lineLength)
		}
	}
	return ""
}

// lineLength is how many characters say what a note is about.
const lineLength = 110
