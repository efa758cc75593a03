package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode/utf8"

	"obsidian-mcp/internal/md"
	"obsidian-mcp/internal/md/front"
	"obsidian-mcp/internal/vpath"
)

// Entry is what the index knows of one file. It never changes once made.
type Entry struct {
	Path     vpath.Path
	Mark     string // the store's mark of the state that was read
	Size     int64
	Modified time.Time
	Created  time.Time

	Front    string   // the frontmatter block as it is written, fences included
	Tags     []string // frontmatter's first, then the body's; each spelling once
	Aliases  []string
	Headings []Heading
	Links    []Link // the frontmatter's first, then the body's; a canvas' in its order

	sum  [sha256.Size]byte
	keys []vpath.Key // of the links' base names, until they are in the index
}

// Hash is the SHA-256 of the file's bytes, as hex; "" where they were not read.
func (e *Entry) Hash() string {
	if e.sum == [sha256.Size]byte{} {
		return ""
	}
	return hex.EncodeToString(e.sum[:])
}

// Heading is one line of a note's outline.
type Heading struct {
	Level int
	Text  string
}

// Link is one reference to a file.
type Link struct {
	Path  string // as the link gives it, decoded; "" means the note itself
	Line  int
	Exact bool // the path of a canvas' card, which is never looked for elsewhere
	Label bool // the definition of a label, [a]: path; it follows a rename, but is no link by itself
}

// Parser reads files into entries. It reuses memory and serves one goroutine
// at a time.
type Parser struct {
	scanner md.Scanner
	values  md.Scanner // of the properties
	text    []byte     // what the strings of the entry at work will share
	spans   []int
}

// Parse reads a file. Files other than notes and canvases have a path alone.
func (p *Parser) Parse(path vpath.Path, data []byte) *Entry {
	entry := &Entry{Path: path, Size: int64(len(data))}
	switch {
	case data == nil:
	case path.IsNote():
		entry.sum = sha256.Sum256(data)
		p.note(entry, data)
	case path.IsCanvas():
		entry.sum = sha256.Sum256(data)
		p.canvas(entry, data)
	}
	entry.keys = make([]vpath.Key, len(entry.Links))
	for i, link := range entry.Links {
		entry.keys[i] = baseKey(link.Path)
	}
	return entry
}

// note reads a Markdown note. Its strings are copied in one piece, since the
// data belongs to the caller.
func (p *Parser) note(entry *Entry, data []byte) {
	note := p.scanner.Scan(data)
	if note.Front.Present {
		entry.Front = string(note.Front.Block.Of(data))
	}
	seen := map[string]struct{}{}
	glance := front.Look(note, &p.values)
	for _, tag := range glance.Tags {
		entry.addTag(seen, tag)
	}
	entry.Aliases = glance.Aliases
	for _, link := range glance.Links {
		path, _ := md.SplitTarget(link.Target)
		entry.Links = append(entry.Links, Link{Path: trimPath(path), Line: note.LineOf(link.Offset)})
	}
	for _, tag := range note.Tags {
		entry.addTag(seen, string(tag.Of(data)[1:]))
	}
	p.headings(entry, note)
	p.links(entry, note)
}

var newline = []byte("\n")

func (e *Entry) addTag(seen map[string]struct{}, tag string) {
	if _, twice := seen[tag]; !twice {
		seen[tag] = struct{}{}
		e.Tags = append(e.Tags, strings.ToValidUTF8(tag, "\ufffd"))
	}
}

func (p *Parser) headings(entry *Entry, note *md.Note) {
	if len(note.Headings) == 0 {
		return
	}
	p.text, p.spans = p.text[:0], p.spans[:0]
	for _, heading := range note.Headings {
		p.text = append(p.text, heading.Text.Of(note.Source)...)
		p.spans = append(p.spans, len(p.text))
	}
	all := string(p.text)
	entry.Headings = make([]Heading, len(note.Headings))
	start := 0
	for i, end := range p.spans {
		entry.Headings[i] = Heading{Level: note.Headings[i].Level, Text: valid(all[start:end])}
		start = end
	}
}

func (p *Parser) links(entry *Entry, note *md.Note) {
	if len(note.Links) == 0 {
		return
	}
	if entry.Links == nil {
		entry.Links = make([]Link, 0, len(note.Links))
	}
	line, offset := 1, 0
	for _, link := range note.Links {
		line += bytes.Count(note.Source[offset:link.Start], newline)
		offset = link.Start
		entry.Links = append(entry.Links, Link{Path: link.Path(note.Source), Line: line, Label: link.Kind == md.Definition})
	}
}

func (p *Parser) canvas(entry *Entry, data []byte) {
	texts, err := md.ScanCanvas(data)
	if err != nil {
		return
	}
	for _, text := range texts {
		line := 1 + bytes.Count(data[:text.Start], newline)
		switch text.Kind {
		case md.CanvasFile, md.CanvasBackground:
			entry.Links = append(entry.Links, Link{Path: strings.TrimPrefix(text.Value, "/"), Line: line, Exact: true})
		case md.CanvasMarkdown:
			card := md.ScanText([]byte(text.Value))
			for _, link := range card.Links {
				entry.Links = append(entry.Links, Link{Path: link.Path(card.Source), Line: line, Label: link.Kind == md.Definition})
			}
		}
	}
}

// baseKey is the folded base name that a link's path asks for, without ".md".
func baseKey(path string) vpath.Key {
	path = strings.TrimRight(path, `/\`)
	path = path[strings.LastIndexAny(path, `/\`)+1:]
	if len(path) > 3 && strings.EqualFold(path[len(path)-3:], vpath.NoteExt) {
		path = path[:len(path)-3]
	}
	return vpath.FoldKey(path)
}

func trimPath(path string) string { return strings.TrimSpace(path) }

func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
