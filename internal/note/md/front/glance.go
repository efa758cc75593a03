package front

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/note/md"
)

// Glance is the part of a note's properties that an index needs.
type Glance struct {
	Tags    []string
	Aliases []string
	Links   []GlanceLink // in document order
}

// GlanceLink is a link in a property.
type GlanceLink struct {
	Target string // path and subpath, decoded
	Offset int    // where the value that contains it starts
}

// Look reads the properties that an index needs. Most frontmatter uses a few simple forms, which Look reads in one pass;
// it leaves the rest to Parse, with the same results. It uses the scanner for links, which must not be the one that
// scanned the note. Frontmatter that cannot be read counts as empty.
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

// Fields returns all properties of a note, like Parse, but usually in a fraction of the time. Frontmatter that cannot be
// read counts as empty.
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

// glancer reads frontmatter of simple lines.
type glancer struct {
	glance  Glance
	src     []byte
	scanner *md.Scanner // nil if the caller needs no links
	keys    []string    // keys so far, in lower case

	collects bool // whether the caller needs all values
	fields   []Field

	key    string // the key whose list items may follow
	indent int    // of that list; -1 before its first item
}

func lookFast(note *md.Note, scanner *md.Scanner) (Glance, bool) {
	g := &glancer{src: note.Source, scanner: scanner, indent: -1}
	if !g.lines(note.Front.YAML) {
		return Glance{}, false
	}
	return g.glance, true
}

// lines reads a block line by line. It returns false at the first line that is not one of: a comment, a blank line,
// "key: scalar", "key: [a, b]", or "key:" with "- scalar" lines below it.
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

// put sets the value of the last property, or appends an item to its list.
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

// plainBytes reports whether a line has no control characters, tabs or other characters that YAML treats specially.
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

// item reads a list item.
func (g *glancer) item(span md.Span, indent int) bool {
	if g.key == "" || g.indent >= 0 && indent != g.indent {
		return false
	}
	g.indent = indent
	rest := span.Of(g.src)[1:]
	if len(rest) > 0 && rest[0] != ' ' {
		return false
	}
	value, valueSpan, ok := g.scalar(md.Span{Start: span.Start + 1, End: span.End})
	if !ok {
		return false
	}
	g.take(g.key, value, true)
	g.links(value, valueSpan)
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
	value, valueSpan, ok := g.scalar(at)
	if !ok {
		return false
	}
	if value.Kind == Null {
		g.key = key // only a comment follows the colon
	}
	g.take(key, value, false)
	g.links(value, valueSpan)
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

// scalar reads a value on one line: quoted without escapes, or plain. It also returns the span of the value, with its
// quotes.
func (g *glancer) scalar(line md.Span) (value Value, span md.Span, ok bool) {
	text := line.Of(g.src)
	trimmed := bytes.TrimLeft(text, " ")
	span = md.Span{Start: line.End - len(trimmed), End: line.End}
	if len(trimmed) == 0 || trimmed[0] == '#' && len(trimmed) < len(text) {
		return Value{}, span, true
	}
	if quote := trimmed[0]; quote == '"' || quote == '\'' {
		end := 1 + bytes.IndexByte(trimmed[1:], quote)
		rest := trimmed[end+1:]
		after := bytes.TrimLeft(rest, " ")
		closed := len(after) == 0 || after[0] == '#' && len(after) < len(rest)
		if end < 1 || !closed || quote == '"' && bytes.IndexByte(trimmed[:end], '\\') >= 0 {
			return Value{}, span, false
		}
		return TextValue(string(trimmed[1:end])), md.Span{Start: span.Start, End: span.Start + end + 1}, true
	}
	if !plainStart(trimmed[0]) && string(trimmed) != "~" {
		return Value{}, span, false
	}
	if comment := bytes.Index(trimmed, []byte(" #")); comment >= 0 {
		trimmed = trimmed[:comment]
	}
	trimmed = bytes.TrimRight(trimmed, " ")
	if bytes.Contains(trimmed, []byte(": ")) || trimmed[len(trimmed)-1] == ':' {
		return Value{}, span, false
	}
	return plainValue(string(trimmed)), md.Span{Start: span.Start, End: span.Start + len(trimmed)}, true
}

func plainStart(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf
}

// flow reads a flow list of simple items.
func (g *glancer) flow(key string, span md.Span) bool {
	text := span.Of(g.src)
	end := bytes.LastIndexByte(text, ']')
	if end < 0 {
		return false
	}
	after := bytes.TrimLeft(text[end+1:], " ")
	if len(after) > 0 && (after[0] != '#' || len(after) == len(text)-end-1) {
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
		value, valueSpan, ok := g.scalar(item)
		if !ok || value.Kind == Null || !simpleInFlow(item.Of(g.src)) {
			return false
		}
		g.take(key, value, true)
		g.links(value, valueSpan)
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

// take records a value and adds it to the tags or aliases, as Block.Tags and Block.Aliases would.
func (g *glancer) take(key string, value Value, inList bool) {
	g.put(value, inList)
	if value.Kind != Text || inList && value.Text == "" {
		return
	}
	switch key {
	case "tags":
		if tag := strings.TrimPrefix(value.Text, "#"); isTag(tag) {
			g.glance.Tags = append(g.glance.Tags, tag)
		}
	case "aliases":
		if inList || !strings.Contains(value.Text, ",") {
			g.glance.Aliases = append(g.glance.Aliases, value.Text)
		}
	}
}

// links records the links in a value.
func (g *glancer) links(value Value, span md.Span) {
	if g.scanner == nil || value.Kind != Text || !mayContainLink(value.Text) {
		return
	}
	inner := span
	if first := g.src[span.Start]; first == '"' || first == '\'' {
		inner = md.Span{Start: span.Start + 1, End: span.End - 1}
	}
	for _, link := range g.scanner.ScanLinks(g.src, inner) {
		g.glance.Links = append(g.glance.Links, GlanceLink{link.Target(g.src), span.Start})
	}
}
