package front

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/note/md"
)

// Glance is what an index wants to know of a note's properties.
type Glance struct {
	Tags    []string
	Aliases []string
	Links   []GlanceLink // in document order
}

// GlanceLink is a link in a property.
type GlanceLink struct {
	Target string // path and subpath, decoded
	Offset int    // where the value that holds it starts
}

// Look reads the properties that an index is made of. Most frontmatter is
// written in few simple forms; these are read in one pass here, and all else
// by Parse, with the same answers. The scanner is used for links; it must not
// be the one that the note is from. What cannot be read has no properties.
func Look(note *md.Note, scanner *md.Scanner) Glance {
	if !note.Front.Present {
		return Glance{}
	}
	if glance, ok := lookFast(note, scanner); ok {
		return glance
	}
	block, err := Parse(note)
	if err != nil {
		return Glance{}
	}
	glance := Glance{Tags: block.Tags(), Aliases: block.Aliases()}
	for _, link := range block.Links() {
		glance.Links = append(glance.Links, GlanceLink{link.Target, link.Value.Start})
	}
	return glance
}

// Fields reads all properties of a note, as Parse does, but mostly in a
// fraction of the time. What cannot be read has none.
func Fields(note *md.Note) []Field {
	if !note.Front.Present {
		return nil
	}
	g := &glancer{src: note.Source, indent: -1, collects: true}
	if g.lines(note.Front.YAML) {
		return g.fields
	}
	block, err := Parse(note)
	if err != nil {
		return nil
	}
	return block.Fields()
}

// glancer reads a block of simple lines.
type glancer struct {
	Glance
	src     []byte
	scanner *md.Scanner // nil: links are not asked for
	keys    []string    // so far, in lower case

	collects bool // whether all values are wanted
	fields   []Field

	key    string // whose list may follow
	indent int    // of that list; -1 before its first item
}

func lookFast(note *md.Note, scanner *md.Scanner) (Glance, bool) {
	g := &glancer{src: note.Source, scanner: scanner, indent: -1}
	if !g.lines(note.Front.YAML) {
		return Glance{}, false
	}
	return g.Glance, true
}

// lines reads a block line by line, and gives up at the first line that is
// not one of: a comment, a blank line, "key: scalar", "key: [a, b]", "key:"
// with "- scalar" lines below it.
func (g *glancer) lines(yaml md.Span) bool {
	if yaml.Len() > 8<<10 {
		return false
	}
	for at := yaml.Start; at < yaml.End; {
		end := at + bytes.IndexByte(g.src[at:yaml.End], '\n')
		if end < at {
			end = yaml.End
		}
		if !g.line(md.Span{Start: at, End: end}) {
			return false
		}
		at = end + 1
	}
	return true
}

// put gives the property that was read last its value, or one more item of
// its list.
func (g *glancer) put(value Value, inList bool) {
	if !g.collects {
		return
	}
	last := &g.fields[len(g.fields)-1].Value
	if !inList {
		*last = value
		return
	}
	last.Kind = List
	last.Items = append(last.Items, value)
}

func (g *glancer) line(span md.Span) bool {
	text := bytes.TrimSuffix(span.Of(g.src), []byte("\r"))
	span.End = span.Start + len(text)
	if !plainBytes(text) {
		return false
	}
	trimmed := bytes.TrimLeft(text, " ")
	indent := len(text) - len(trimmed)
	switch {
	case len(trimmed) == 0, text[0] == '#':
		return true
	case trimmed[0] == '-':
		return g.item(md.Span{Start: span.Start + indent, End: span.End}, indent)
	case indent > 0:
		return false
	}
	return g.property(text, span)
}

// plainBytes reports a line without control characters, tabs and the odd
// characters that YAML treats specially.
func plainBytes(text []byte) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < ' ' || text[i] == 0x7f {
			return false
		}
		if text[i] < utf8.RuneSelf {
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError || r <= 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff {
			return false
		}
		i += size - 1
	}
	return true
}

// item reads a line of a list.
func (g *glancer) item(span md.Span, indent int) bool {
	if g.key == "" || g.indent >= 0 && indent != g.indent {
		return false
	}
	g.indent = indent
	rest := span.Of(g.src)[1:]
	if len(rest) > 0 && rest[0] != ' ' {
		return false
	}
	value, place, ok := g.scalar(md.Span{Start: span.Start + 1, End: span.End})
	if !ok {
		return false
	}
	g.take(g.key, value, true)
	g.links(value, place)
	return true
}

// property reads "key:", "key: scalar" and "key: [a, b]".
func (g *glancer) property(text []byte, span md.Span) bool {
	colon := bytes.IndexByte(text, ':')
	if colon < 1 || colon > 64 || !simpleKey(text[:colon]) || colon+1 < len(text) && text[colon+1] != ' ' {
		return false
	}
	key := strings.ToLower(string(text[:colon]))
	for _, other := range g.keys {
		if other == key {
			return false
		}
	}
	g.keys = append(g.keys, key)
	g.key, g.indent = "", -1
	if g.collects {
		g.fields = append(g.fields, Field{Key: string(text[:colon])})
	}
	at := md.Span{Start: span.Start + colon + 1, End: span.End}
	trimmed := bytes.TrimLeft(at.Of(g.src), " ")
	switch {
	case len(trimmed) == 0:
		g.key = key
		return true
	case trimmed[0] == '[':
		return g.flow(key, md.Span{Start: at.End - len(trimmed), End: at.End})
	}
	value, place, ok := g.scalar(at)
	if !ok {
		return false
	}
	if value.Kind == Null {
		g.key = key // a comment alone
	}
	g.take(key, value, false)
	g.links(value, place)
	return true
}

func simpleKey(key []byte) bool {
	for i, c := range key {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c != '-' && c != ' ' && (c < '0' || c > '9')) {
			return false
		}
	}
	return key[len(key)-1] != ' '
}

// scalar reads a value on one line: quoted without escapes, or plain. The
// place is that of the text itself.
func (g *glancer) scalar(span md.Span) (value Value, place md.Span, ok bool) {
	text := span.Of(g.src)
	trimmed := bytes.TrimLeft(text, " ")
	place = md.Span{Start: span.End - len(trimmed), End: span.End}
	if len(trimmed) == 0 || trimmed[0] == '#' && len(trimmed) < len(text) {
		return Value{}, place, true
	}
	if quote := trimmed[0]; quote == '"' || quote == '\'' {
		end := 1 + bytes.IndexByte(trimmed[1:], quote)
		rest := trimmed[end+1:]
		after := bytes.TrimLeft(rest, " ")
		closed := len(after) == 0 || after[0] == '#' && len(after) < len(rest)
		if end < 1 || !closed || quote == '"' && bytes.IndexByte(trimmed[:end], '\\') >= 0 {
			return Value{}, place, false
		}
		return TextValue(string(trimmed[1:end])), md.Span{Start: place.Start, End: place.Start + end + 1}, true
	}
	if !plainStart(trimmed[0]) && string(trimmed) != "~" {
		return Value{}, place, false
	}
	if comment := bytes.Index(trimmed, []byte(" #")); comment >= 0 {
		trimmed = trimmed[:comment]
	}
	trimmed = bytes.TrimRight(trimmed, " ")
	if bytes.Contains(trimmed, []byte(": ")) || trimmed[len(trimmed)-1] == ':' {
		return Value{}, place, false
	}
	return plainValue(string(trimmed)), md.Span{Start: place.Start, End: place.Start + len(trimmed)}, true
}

func plainStart(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf
}

// flow reads a list in brackets whose items are simple.
func (g *glancer) flow(key string, span md.Span) bool {
	text := span.Of(g.src)
	end := bytes.LastIndexByte(text, ']')
	if end < 0 {
		return false
	}
	if after := bytes.TrimLeft(text[end+1:], " "); len(after) > 0 && (after[0] != '#' || len(after) == len(text)-end-1) {
		return false
	}
	inner := md.Span{Start: span.Start + 1, End: span.Start + end}
	if len(bytes.TrimLeft(inner.Of(g.src), " ")) == 0 {
		g.take(key, Value{Kind: List}, false)
		return true
	}
	for at := inner.Start; at <= inner.End; {
		stop := at + bytes.IndexByte(g.src[at:inner.End], ',')
		if stop < at {
			stop = inner.End
		}
		item := md.Span{Start: at, End: stop}
		value, place, ok := g.scalar(item)
		if !ok || value.Kind == Null || !simpleInFlow(item.Of(g.src)) {
			return false
		}
		g.take(key, value, true)
		g.links(value, place)
		at = stop + 1
	}
	return true
}

func simpleInFlow(item []byte) bool {
	trimmed := bytes.TrimSpace(item)
	if quote := trimmed[0]; quote == '"' || quote == '\'' {
		return trimmed[len(trimmed)-1] == quote && len(trimmed) > 1 && bytes.IndexByte(trimmed, '#') < 0
	}
	return !bytes.ContainsAny(trimmed, "[]{},:#&*!|>'\"%@`?\\")
}

// take puts a value into the tags or aliases, as Tags and Aliases read it.
func (g *glancer) take(key string, value Value, inList bool) {
	g.put(value, inList)
	if value.Kind != Text || inList && value.Text == "" {
		return
	}
	switch key {
	case "tags":
		if tag := strings.TrimPrefix(value.Text, "#"); isTag(tag) {
			g.Tags = append(g.Tags, tag)
		}
	case "aliases":
		if inList || !strings.Contains(value.Text, ",") {
			g.Aliases = append(g.Aliases, value.Text)
		}
	}
}

// links finds the links in a value.
func (g *glancer) links(value Value, place md.Span) {
	if g.scanner == nil || value.Kind != Text || !mayHoldLink(value.Text) {
		return
	}
	inner := place
	if first := g.src[place.Start]; first == '"' || first == '\'' {
		inner = md.Span{Start: place.Start + 1, End: place.End - 1}
	}
	for _, link := range g.scanner.ScanLinks(g.src, inner) {
		g.Links = append(g.Links, GlanceLink{link.Target(g.src), place.Start})
	}
}
