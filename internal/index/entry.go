package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
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

	Young bool // it was read so soon after it was changed that its mark says nothing

	sum     [sha256.Size]byte
	frontAt int    // where in the text the frontmatter begins
	text    []byte // until the index has it
	binary  bool
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
	known   map[destination]string // links are alike in many notes
}

// destination is a link's target as it is written.
type destination struct {
	kind md.LinkKind
	text string
}

// maxKnown bounds what a parser remembers.
const maxKnown = 1 << 16

// target reads the destination of a link.
func (p *Parser) target(src []byte, link md.Link) string {
	if found, ok := p.known[destination{link.Kind, string(link.Dest.Of(src))}]; ok {
		return found
	}
	if p.known == nil || len(p.known) == maxKnown {
		p.known = map[destination]string{}
	}
	path := link.Path(src)
	p.known[destination{link.Kind, string(link.Dest.Of(src))}] = path
	return path
}

// Reads reports whether the index wants to see what is in a file. Of others a
// path is all that it knows.
func Reads(path vpath.Path) bool { return !path.IsBinary() }

// Parse reads a file. The entry borrows the data, see Keep. Files other than
// notes and canvases have a path and a text alone.
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
	entry.text, entry.binary = searchable(data)
	return entry
}

// Keep makes the entry independent of the bytes that it was read from, which
// an index wants to have.
func (e *Entry) Keep() *Entry {
	e.text = bytes.Clone(e.text)
	return e
}

// searchable is what the text engine gets of a file, and whether it is no
// text at all. UTF-16, as its mark tells, is searched as what it says.
func searchable(data []byte) (text []byte, binary bool) {
	if len(data) >= 2 && (data[0] == 0xFF && data[1] == 0xFE || data[0] == 0xFE && data[1] == 0xFF) {
		data = fromUTF16(data)
	}
	return data, data == nil || bytes.IndexByte(data, 0) >= 0
}

func fromUTF16(data []byte) []byte {
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 0xFE {
		order = binary.BigEndian
	}
	units := make([]uint16, 0, len(data)/2)
	for data = data[2:]; len(data) >= 2; data = data[2:] {
		units = append(units, order.Uint16(data))
	}
	return []byte(string(utf16.Decode(units)))
}

// note reads a Markdown note. Its strings are copied in one piece, since the
// data belongs to the caller.
func (p *Parser) note(entry *Entry, data []byte) {
	note := p.scanner.Scan(data)
	if note.Front.Present {
		entry.Front, entry.frontAt = string(note.Front.Block.Of(data)), note.Front.Block.Start
	}
	glance := front.Look(note, &p.values)
	for _, tag := range glance.Tags {
		entry.addTag(tag)
	}
	entry.Aliases = glance.Aliases
	for _, link := range glance.Links {
		path, _ := md.SplitTarget(link.Target)
		entry.Links = append(entry.Links, Link{Path: strings.TrimSpace(path), Line: note.LineOf(link.Offset)})
	}
	for _, tag := range note.Tags {
		entry.addTag(string(tag.Of(data)[1:]))
	}
	p.headings(entry, note)
	p.links(entry, note)
}

var newline = []byte("\n")

func (e *Entry) addTag(tag string) {
	if tag = valid(tag); !slices.Contains(e.Tags, tag) {
		e.Tags = append(e.Tags, tag)
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
	entry.Links = slices.Grow(entry.Links, len(note.Links))
	line, offset := 1, 0
	for _, link := range note.Links {
		line += bytes.Count(note.Source[offset:link.Start], newline)
		offset = link.Start
		entry.Links = append(entry.Links, Link{Path: p.target(note.Source, link), Line: line, Label: link.Kind == md.Definition})
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

func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
