package index

import (
	"encoding/binary"
	"math"
	"time"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/tasks"
)

// An entry is stored as the meta of its document. Fields that are read for many files at once come first, at fixed
// offsets.
const (
	modifiedAt = 0
	createdAt  = 8
	sizeAt     = 16
	idAt       = 24
	stringsAt  = 40
)

// noTime stands for the zero time.
const noTime = math.MinInt64

func unixNano(t time.Time) uint64 {
	if t.IsZero() {
		return 1 << 63
	}
	return uint64(t.UnixNano())
}

func timeOf(data []byte) time.Time {
	nano := int64(binary.LittleEndian.Uint64(data))
	if nano == noTime {
		return time.Time{}
	}
	return time.Unix(0, nano)
}

// encode appends the fields of an entry, except for the path, which a table has, and the frontmatter, which is in the
// text.
func (e *Entry) encode(out []byte) []byte {
	out = binary.LittleEndian.AppendUint64(out, unixNano(e.Modified))
	out = binary.LittleEndian.AppendUint64(out, unixNano(e.Created))
	out = binary.LittleEndian.AppendUint64(out, uint64(e.Size))
	out = append(out, e.id[:]...)
	mark := e.Mark
	if e.MarkUnreliable {
		mark = ""
	}
	out = appendString(appendString(out, mark), e.sum)
	out = binary.AppendUvarint(out, uint64(e.frontAt))
	out = binary.AppendUvarint(out, uint64(len(e.Front)))
	out = appendStrings(out, e.Tags)
	out = appendStrings(out, e.Aliases)
	out = binary.AppendUvarint(out, uint64(len(e.Headings)))
	for _, heading := range e.Headings {
		out = appendString(append(out, byte(heading.Level)), heading.Text)
	}
	out = binary.AppendUvarint(out, uint64(len(e.Links)))
	for _, link := range e.Links {
		out = appendString(binary.AppendUvarint(out, link.bits()), link.Path)
	}
	out = binary.AppendUvarint(out, uint64(len(e.Boxes)))
	for _, box := range e.Boxes {
		out = binary.AppendUvarint(out, uint64(box.At))
		out = binary.AppendUvarint(out, uint64(box.Number))
		out = binary.AppendUvarint(out, uint64(box.Heading+1))
	}
	return out
}

// bits packs a link's line and kind.
func (l Link) bits() uint64 {
	bits := uint64(l.Line) << 2
	if l.Exact {
		bits |= 1
	}
	if l.Label {
		bits |= 2
	}
	return bits
}

func linkOf(bits uint64, path string) Link {
	return Link{Path: path, Line: int(bits >> 2), Exact: bits&1 != 0, Label: bits&2 != 0}
}

func appendString(out []byte, text string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(text))), text...)
}

func appendStrings(out []byte, list []string) []byte {
	out = binary.AppendUvarint(out, uint64(len(list)))
	for _, text := range list {
		out = appendString(out, text)
	}
	return out
}

// decode reads an entry. first returns the first bytes of its text. All its strings share a single copy of the meta.
func decode(path vpath.Path, meta []byte, first func(count int) []byte) *Entry {
	e := &Entry{
		Path:     path,
		Modified: timeOf(meta[modifiedAt:]),
		Created:  timeOf(meta[createdAt:]),
		Size:     int64(binary.LittleEndian.Uint64(meta[sizeAt:])),
	}
	copy(e.id[:], meta[idAt:])
	r := reader[string]{string(meta[stringsAt:])}
	e.Mark, e.sum = r.text(), r.text()
	e.frontAt = int(r.number())
	if size := int(r.number()); size > 0 {
		e.Front = string(first(e.frontAt + size)[e.frontAt:])
	}
	e.Tags, e.Aliases = r.texts(), r.texts()
	if count := r.number(); count > 0 {
		e.Headings = make([]Heading, count)
		for i := range e.Headings {
			e.Headings[i] = Heading{Level: r.byte(), Text: r.text()}
		}
	}
	e.Links = readLinks(&r)
	if count := r.number(); count > 0 {
		e.Boxes = make([]tasks.Line, count)
		for i := range e.Boxes {
			e.Boxes[i] = tasks.Line{At: int(r.number()), Number: int(r.number()), Heading: int(r.number()) - 1}
		}
	}
	return e
}

// frontEnd returns where the frontmatter of a file ends; 0 if it has none.
func frontEnd(meta []byte) int {
	r := reader[[]byte]{meta[stringsAt:]}
	r.text() // the mark
	r.text() // the sum
	start := r.number()
	if size := r.number(); size > 0 {
		return int(start + size)
	}
	return 0
}

// markOf returns a file's mark without decoding the rest of its meta.
func markOf(meta []byte) []byte {
	r := reader[[]byte]{meta[stringsAt:]}
	return r.text()
}

// idIn returns the ID of a file's contents.
func idIn(meta []byte) (id textID) {
	copy(id[:], meta[idAt:])
	return id
}

// sumIn returns the SHA-256 of a file that was converted from UTF-16.
func sumIn(meta []byte) string {
	r := reader[[]byte]{meta[stringsAt:]}
	r.text() // the mark
	return string(r.text())
}

// aliasesIn returns a note's aliases without decoding the rest of its meta.
func aliasesIn(meta []byte) []string {
	r := readerOf(meta)
	r.skipTexts() // the tags
	count := r.number()
	if count == 0 {
		return nil
	}
	aliases := make([]string, count)
	for i := range aliases {
		aliases[i] = string(r.text())
	}
	return aliases
}

// linksIn returns a file's links without decoding the rest of its meta.
func linksIn(meta []byte) []Link {
	r := readerOf(meta)
	r.skipTexts() // the tags
	r.skipTexts() // the aliases
	r.skipHeadings()
	return readLinks(&reader[string]{string(r.rest)})
}

// readLinks reads links that share the memory of what they are read from.
func readLinks(r *reader[string]) []Link {
	count := r.number()
	if count == 0 {
		return nil
	}
	links := make([]Link, count)
	for i := range links {
		bits := r.number()
		links[i] = linkOf(bits, r.text())
	}
	return links
}

// readerOf returns a reader positioned at the tags, which the aliases, headings, links and task boxes follow.
func readerOf(meta []byte) reader[[]byte] {
	r := reader[[]byte]{meta[stringsAt:]}
	r.text() // the mark
	r.text() // the sum
	r.number()
	r.number() // where the frontmatter is
	return r
}

// reader reads what the functions above append. Texts share the memory of what they are read from.
type reader[T string | []byte] struct{ rest T }

func (r *reader[T]) byte() int {
	c := r.rest[0]
	r.rest = r.rest[1:]
	return int(c)
}

func (r *reader[T]) number() uint64 {
	value := uint64(0)
	for shift := 0; ; shift += 7 {
		c := r.rest[0]
		r.rest = r.rest[1:]
		value |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return value
		}
	}
}

func (r *reader[T]) text() T {
	size := r.number()
	text := r.rest[:size]
	r.rest = r.rest[size:]
	return text
}

func (r *reader[T]) texts() []T {
	count := r.number()
	if count == 0 {
		return nil
	}
	list := make([]T, count)
	for i := range list {
		list[i] = r.text()
	}
	return list
}

func (r *reader[T]) skipTexts() {
	for range r.number() {
		r.text()
	}
}

func (r *reader[T]) skipHeadings() {
	for range r.number() {
		r.byte()
		r.text()
	}
}
