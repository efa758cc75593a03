package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/tasks"
)

// Entry is what the index knows about a file. It is immutable.
type Entry struct {
	Path     vpath.Path
	Mark     string // identifies the state of the file that was read; from the store
	Size     int64
	Modified time.Time
	Created  time.Time

	Front    string   // the frontmatter block as written, fences included
	Tags     []string // of the frontmatter, then of the body; each spelling once
	Aliases  []string
	Headings []Heading
	Links    []Link       // of the frontmatter, then of the body; those of a canvas in its order
	Boxes    []tasks.Line // items with a box; which of them are tasks depends on the vault's settings

	// MarkUnreliable is set if the file was read so soon after a change that a later change might have the same mark.
	MarkUnreliable bool

	id      textID // zero if the text is unknown
	sum     string // SHA-256 of the file if it was converted from UTF-16
	frontAt int    // offset of the frontmatter in the text
	text    []byte // nil once the index has taken it
	binary  bool
}

// Heading is a line of a note's outline.
type Heading struct {
	Level int
	Text  string
}

// Link is a reference to a file.
type Link struct {
	Path  string // as the link gives it, decoded; "" means the note itself
	Line  int
	Exact bool // the path of a canvas card, which is not searched for in other folders
	Label bool // the definition of a label, [a]: path; a rename updates it, but it does not count as a link
}

// Parser reads files into entries. It reuses memory; only one goroutine may use it at a time.
type Parser struct {
	scanner md.Scanner
	values  md.Scanner // of the properties
	text    []byte     // scratch: the headings of a note, joined
	ends    []int      // scratch: where each heading ends in text
	targets map[destination]string
}

// destination is a link's target as written.
type destination struct {
	kind md.LinkKind
	text string
}

// maxTargets bounds how many link targets a parser remembers.
const maxTargets = 1 << 16

// target decodes the destination of a link. Many notes have the same links, so results are remembered.
func (p *Parser) target(src []byte, link md.Link) string {
	if found, ok := p.targets[destination{link.Kind, string(link.Dest.Of(src))}]; ok {
		return found
	}
	if p.targets == nil || len(p.targets) == maxTargets {
		p.targets = map[destination]string{}
	}
	path := link.Path(src)
	p.targets[destination{link.Kind, string(link.Dest.Of(src))}] = path
	return path
}

// WantsContent reports whether the index needs the content of a file. Of other files it keeps only the path.
func WantsContent(path vpath.Path) bool { return !path.IsBinary() }

// Parse reads a file. The entry shares the memory of data until Detach is called. Files other than notes and canvases
// get only a path and a text.
func (p *Parser) Parse(path vpath.Path, data []byte) *Entry {
	entry := &Entry{Path: path, Size: int64(len(data))}
	switch {
	case data == nil:
	case path.IsNote():
		p.note(entry, data)
	case path.IsCanvas():
		p.canvas(entry, data)
	}
	if data != nil {
		entry.id = idOf(data)
	}
	if isUTF16(data) {
		sum := sha256.Sum256(data)
		entry.sum = string(sum[:])
	}
	entry.text, entry.binary = searchable(data)
	return entry
}

// Detach copies the text that the entry shares with the bytes it was parsed from, so that the caller may reuse those.
func (e *Entry) Detach() *Entry {
	e.text = bytes.Clone(e.text)
	return e
}

// searchable returns the bytes of a file that the text engine indexes, and whether they are binary. UTF-16 is converted to UTF-8.
func searchable(data []byte) (text []byte, binary bool) {
	if isUTF16(data) {
		data = fromUTF16(data)
	}
	return data, data == nil || bytes.IndexByte(data, 0) >= 0
}

// isUTF16 reports whether data begins with the byte order mark of UTF-16.
func isUTF16(data []byte) bool {
	return len(data) >= 2 && (data[0] == 0xFF && data[1] == 0xFE || data[0] == 0xFE && data[1] == 0xFF)
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

// note reads a Markdown note. All strings are copied, since the data belongs to the caller.
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
	entry.Boxes = tasks.Lines(note)
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
	p.text, p.ends = p.text[:0], p.ends[:0]
	for _, heading := range note.Headings {
		p.text = append(p.text, heading.Text.Of(note.Source)...)
		p.ends = append(p.ends, len(p.text))
	}
	joined := string(p.text) // a single allocation for all headings
	entry.Headings = make([]Heading, len(note.Headings))
	start := 0
	for i, end := range p.ends {
		entry.Headings[i] = Heading{Level: note.Headings[i].Level, Text: valid(joined[start:end])}
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

// baseKey returns the folded base name, without ".md", of the file that a link's path asks for.
func baseKey(path string) vpath.Key {
	path = strings.TrimRight(path, `/\`)
	path = path[strings.LastIndexAny(path, `/\`)+1:]
	if len(path) > 3 && strings.EqualFold(path[len(path)-3:], vpath.NoteExt) {
		path = path[:len(path)-3]
	}
	return vpath.FoldKey(path)
}

// valid replaces bytes that are not UTF-8.
func valid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
