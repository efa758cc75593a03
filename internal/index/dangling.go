package index

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
)

// Written is a link as its file spells it.
type Written struct {
	Target string // path and subpath, decoded
	Line   int
	Text   string // the whole link
	exact  bool   // the target's path is not searched for in other folders
}

// Dangling is a link to a heading or a block that its note does not have.
type Dangling struct {
	From vpath.Path
	Written
	To    vpath.Path
	Block bool // rather than a heading
}

// danglingMemo keeps the dangling links of a snapshot. It has a lock of its own, which is held while all notes are scanned.
type danglingMemo struct {
	mu    sync.Mutex // guards what follows
	links []Dangling
	known bool
}

// Written lists the links of a file in document order, those in properties first. The index keeps only their paths, so
// this scans the file's text.
func (s *Snapshot) Written(path vpath.Path) []Written {
	var links []Written
	if doc := s.docOf(path); doc >= 0 {
		s.text.Text(doc, func(data []byte, _ bool) {
			switch {
			case path.IsNote():
				links = writtenInNote(data)
			case path.IsCanvas():
				links = writtenInCanvas(data)
			}
		})
	}
	return links
}

func writtenInNote(data []byte) []Written {
	var links []Written
	note := md.Scan(data)
	if block, err := front.Parse(note); err == nil {
		for _, link := range block.Links() {
			links = append(links, Written{Target: valid(link.Target), Line: note.LineOf(link.Value.Start), Text: valid(link.Original(data))})
		}
	}
	line, offset := 1, 0
	for _, link := range note.Links {
		line += bytes.Count(data[offset:link.Start], newline)
		offset = link.Start
		if link.Kind != md.Definition {
			links = append(links, Written{Target: valid(link.Target(data)), Line: line, Text: valid(string(link.Of(data)))})
		}
	}
	return links
}

func writtenInCanvas(data []byte) []Written {
	texts, err := md.ScanCanvas(data)
	if err != nil {
		return nil
	}
	var links []Written
	for _, text := range texts {
		line := 1 + bytes.Count(data[:text.Start], newline)
		switch text.Kind {
		case md.CanvasFile, md.CanvasBackground:
			links = append(links, Written{Target: strings.TrimPrefix(text.Value, "/"), Line: line, Text: text.Value, exact: true})
		case md.CanvasSubpath:
			links = append(links, Written{Target: text.File + text.Value, Line: line, Text: text.File + text.Value, exact: true})
		case md.CanvasMarkdown:
			card := md.ScanText([]byte(text.Value))
			for _, link := range card.Links {
				if link.Kind != md.Definition {
					links = append(links, Written{Target: link.Target(card.Source), Line: line, Text: string(link.Of(card.Source))})
				}
			}
		}
	}
	return links
}

// HasPart reports whether a note has the heading or block that the subpath of a link asks for.
func (s *Snapshot) HasPart(note vpath.Path, subpath string) bool {
	has := false
	if doc := s.docOf(note); doc >= 0 {
		s.text.Text(doc, func(data []byte, _ bool) { has = partsOf(data).has(subpath) })
	}
	return has
}

// Dangling lists the links to headings and blocks that do not exist, by source and line. Obsidian shows such links as
// resolved.
func (s *Snapshot) Dangling(ctx context.Context) ([]Dangling, error) {
	s.dangling.mu.Lock()
	defer s.dangling.mu.Unlock()
	if s.dangling.known {
		return s.dangling.links, nil
	}
	byTarget := map[vpath.Path][]Dangling{}
	s.Entries(func(entry *Entry) bool {
		for _, link := range s.withParts(entry) {
			byTarget[link.To] = append(byTarget[link.To], link)
		}
		return ctx.Err() == nil
	})
	var found []Dangling
	for to, links := range byTarget {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.text.Text(s.docOf(to), func(data []byte, _ bool) {
			parts := partsOf(data)
			found = append(found, slices.DeleteFunc(links, func(link Dangling) bool {
				_, subpath := md.SplitTarget(link.Target)
				return parts.has(subpath)
			})...)
		})
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	order.By(found, func(a, b Dangling) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Target, b.Target))
	})
	s.dangling.links, s.dangling.known = found, true
	return found, nil
}

// maxLinkSources is how many files BrokenBy looks into.
const maxLinkSources = 1000

// BrokenBy lists the links in other files that lead to a heading or block of a note that it had before a change and does
// not have after it, by source. Of a note with very many backlinks it looks at the first ones.
func (s *Snapshot) BrokenBy(note vpath.Path, before, after []byte) []Dangling {
	had, has := partsOf(before), partsOf(after)
	var broken []Dangling
	sources := 0
	for i, links := 0, s.Backlinks(note); i < len(links) && sources < maxLinkSources; i++ {
		if from := links[i].From; from == note || i > 0 && from == links[i-1].From {
			continue
		}
		sources++
		for _, link := range s.withParts(s.Entry(links[i].From)) {
			if _, subpath := md.SplitTarget(link.Target); link.To == note && had.has(subpath) && !has.has(subpath) {
				broken = append(broken, link)
			}
		}
	}
	return broken
}

// withParts lists the links of a file that lead to a heading or a block of a note, which may exist or not.
func (s *Snapshot) withParts(entry *Entry) []Dangling {
	if len(entry.Links) == 0 {
		return nil
	}
	var found []Dangling
	resolver := s.Paths.From(entry.Path)
	for _, link := range s.Written(entry.Path) {
		path, subpath := md.SplitTarget(link.Target)
		if len(subpath) < 2 {
			continue
		}
		to := entry.Path
		switch {
		case link.exact:
			to, _ = s.Paths.Find(vpath.Path(path))
		case path != "":
			to, _ = resolver.Resolve(path)
		}
		if to.IsNote() && s.docOf(to) >= 0 {
			last := subpath[strings.LastIndexByte(subpath, '#'):]
			found = append(found, Dangling{From: entry.Path, Written: link, To: to, Block: strings.HasPrefix(last, "#^")})
		}
	}
	return found
}

// parts are the headings and block ids of a note.
type parts struct {
	note     *md.Note
	headings map[string]bool // folded as links are
	ids      map[string]bool // in lower case
}

func partsOf(data []byte) parts {
	p := parts{note: md.Scan(data), headings: map[string]bool{}, ids: map[string]bool{}}
	for _, heading := range p.note.Headings {
		p.headings[md.FoldHeading(string(heading.Text.Of(data)))] = true
	}
	for _, id := range p.note.IDs {
		p.ids[strings.ToLower(string(id.Name.Of(data)))] = true
	}
	return p
}

// has reports whether the note has what a subpath asks for: the chain of headings, or the block.
func (p parts) has(subpath string) bool {
	chain := strings.Split(strings.TrimPrefix(subpath, "#"), "#")
	if id, isBlock := strings.CutPrefix(chain[len(chain)-1], "^"); isBlock {
		return p.ids[strings.ToLower(id)]
	}
	for _, heading := range chain {
		if !p.headings[md.FoldHeading(heading)] {
			return false
		}
	}
	return len(chain) == 1 || p.note.FindHeading(chain) >= 0
}
