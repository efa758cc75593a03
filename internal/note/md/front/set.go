package front

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
)

// Set gives a property a value: the splices touch that property's own lines.
// A new property goes last; a note without frontmatter gets a block. Setting
// the value that is there changes nothing.
func (b *Block) Set(key string, value Value) ([]md.Splice, error) {
	if key == "" {
		return nil, fault.InvalidArgument.Errorf("a property needs a name")
	}
	at := b.find(key)
	if at < 0 {
		return b.checked(b.add(key, value), append(b.Fields(), Field{key, value}))
	}
	if b.entries[at].value.Equal(value) {
		return nil, nil
	}
	wanted := b.Fields()
	wanted[at].Value = value
	splices, err := b.replace(b.entries[at], value)
	if err != nil {
		return nil, err
	}
	splices, err = b.checked(splices, wanted)
	if err != nil && value.Kind == Text && isLiteral(value.Text) && !b.isFlow() {
		// What follows the property would join the lines of a literal block.
		at, _ := b.lay(b.entries[at])
		end := b.lineEnd(at.value.End)
		return b.checked([]md.Splice{b.splice(md.Span{Start: at.colon, End: end}, " "+doubleQuoted(value.Text))}, wanted)
	}
	return splices, err
}

// Remove takes a property out. With the last one the whole block goes, unless
// comments are left in it. Removing what is not there changes nothing.
func (b *Block) Remove(key string) ([]md.Splice, error) {
	at := b.find(key)
	if at < 0 {
		return nil, nil
	}
	wanted := slices.Delete(b.Fields(), at, at+1)
	if b.isFlow() {
		return b.checked(b.removeFlow(at), wanted)
	}
	property, err := b.lay(b.entries[at])
	if err != nil {
		return nil, err
	}
	lines := md.Span{Start: b.lineStart(property.key.Start), End: b.nextLine(property.value.End)}
	rest := slices.Concat(b.yaml()[:lines.Start], b.yaml()[lines.End:])
	if len(b.entries) == 1 && isWhiteAll(rest) {
		if whole, err := b.checked([]md.Splice{{Span: b.front.Block}}, nil); err == nil {
			return whole, nil
		} // else the body would read as frontmatter: an empty block stays
	}
	return b.checked([]md.Splice{b.splice(lines, "")}, wanted)
}

// laid is where a property is written in the YAML.
type laid struct {
	key     md.Span
	colon   int     // behind the colon
	value   md.Span // empty, behind the colon, where nothing is written
	indent  int     // of the key
	oneLine bool    // the value is a scalar on the key's line
}

// lay finds the parts of a property that is written as a line, or lines.
func (b *Block) lay(property entry) (laid, error) {
	found := laid{indent: b.column(b.start(property.names))}
	found.key = b.place(property.names, found.indent, false)
	found.key.Start = b.start(property.names)
	found.colon = b.afterColon(found.key.End)
	if property.names.Kind != yaml.ScalarNode || found.colon == found.key.End || found.indent != b.rootIndent() {
		return laid{}, fault.InvalidArgument.Errorf("the property %q is written in a form that cannot be edited", property.key).
			WithHint("change it in the note's text")
	}
	if isEmptyNode(property.holds) {
		found.value = md.Span{Start: found.colon, End: found.colon}
		found.oneLine = true
		return found, nil
	}
	found.value = b.place(property.holds, found.indent, false)
	found.value.Start = b.start(property.holds)
	found.oneLine = property.holds.Kind&(yaml.ScalarNode|yaml.AliasNode) != 0 &&
		property.holds.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 &&
		b.lineStart(found.colon) == b.lineStart(found.value.End)
	return found, nil
}

// replace writes another value for a property.
func (b *Block) replace(property entry, value Value) ([]md.Splice, error) {
	if b.isFlow() {
		return b.replaceFlow(property, value)
	}
	at, err := b.lay(property)
	if err != nil {
		return nil, err
	}
	w := writer{eol: b.eol(), quote: quotingOf(property.holds)}
	text := b.yaml()
	end := b.lineEnd(at.value.End)
	switch {
	case !at.oneLine:
		return []md.Splice{b.splice(md.Span{Start: at.colon, End: end}, w.property(value, at.indent, b.listIndent(property, at.indent)))}, nil
	case value.Kind == Null:
		return []md.Splice{b.splice(md.Span{Start: at.colon, End: at.value.End}, "")}, nil
	case value.isBlock():
		gone := md.Span{Start: at.colon, End: at.value.End}
		if isWhiteAll(text[at.value.End:end]) {
			gone.End = end
		}
		return []md.Splice{b.splice(gone, ""), b.splice(md.Span{Start: end, End: end},
			w.property(value, at.indent, b.listIndent(property, at.indent)))}, nil
	}
	if comment := !isWhiteAll(text[at.value.End:end]); comment && !value.isOneLine() {
		return []md.Splice{b.splice(md.Span{Start: at.colon, End: at.value.End}, " "+doubleQuoted(value.Text))}, nil
	}
	written := w.property(value, at.indent, 0)
	if at.value.Len() > 0 {
		return []md.Splice{b.splice(at.value, strings.TrimPrefix(written, " "))}, nil
	}
	if isWhiteAll(text[at.colon:end]) {
		at.value.End = end
	}
	return []md.Splice{b.splice(at.value, written)}, nil
}

// add writes a new property behind the others.
func (b *Block) add(key string, value Value) []md.Splice {
	if !b.front.Present {
		eol := md.LineEnd(b.src, b.body)
		w := writer{eol: eol}
		block := "---" + eol + w.key(key) + ":" + w.property(value, 0, indentStep) + eol + "---" + eol
		return []md.Splice{{Span: md.Span{Start: b.body, End: b.body}, Text: []byte(block)}}
	}
	if b.isFlow() {
		return b.addFlow(key, value)
	}
	w := writer{eol: b.eol()}
	indent := b.rootIndent()
	line := strings.Repeat(" ", indent) + w.key(key) + ":" + w.property(value, indent, b.listIndent(entry{}, indent)) + w.eol
	end := len(b.yaml())
	return []md.Splice{b.splice(md.Span{Start: end, End: end}, line)}
}

// checked returns the splices once it has seen that they do what was asked
// and nothing else.
func (b *Block) checked(splices []md.Splice, wanted []Field) ([]md.Splice, error) {
	if b.frozen != nil {
		return nil, b.frozen
	}
	note := md.Scan(md.Apply(b.src, splices))
	after, err := Parse(note)
	if err != nil || !sameFields(after.Fields(), wanted) {
		return nil, fault.InvalidArgument.Errorf("the properties cannot be changed without touching others: they depend on each other").
			WithHint("change them in the note's text")
	}
	return splices, nil
}

func sameFields(got, wanted []Field) bool {
	return slices.EqualFunc(got, wanted, func(a, b Field) bool { return a.Key == b.Key && a.Value.Equal(b.Value) })
}

// splice is a change of the YAML as a change of the note.
func (b *Block) splice(span md.Span, text string) md.Splice {
	base := b.front.YAML.Start
	return md.Splice{Span: md.Span{Start: base + span.Start, End: base + span.End}, Text: []byte(text)}
}

// eol is the line end of the opening fence, which new lines get.
func (b *Block) eol() string {
	if bytes.HasSuffix(b.src[b.front.Block.Start:b.front.YAML.Start], []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// rootIndent is the column of the keys.
func (b *Block) rootIndent() int {
	if len(b.entries) == 0 {
		return 0
	}
	return b.column(b.start(b.root))
}

// listIndent is where the dashes of a property's list go: where they are now,
// else where the other lists have theirs.
func (b *Block) listIndent(property entry, indent int) int {
	if isBlockList(property.holds) {
		return b.column(b.start(property.holds))
	}
	for _, other := range b.entries {
		if isBlockList(other.holds) {
			return indent + b.column(b.start(other.holds)) - b.column(b.start(other.names))
		}
	}
	return indent + indentStep
}

func isBlockList(node *yaml.Node) bool {
	return node != nil && node.Kind == yaml.SequenceNode && node.Style&yaml.FlowStyle == 0
}

// quotingOf is the quoting to keep for a property: the one its texts have
// without need, if all of them have one.
func quotingOf(node *yaml.Node) quoteStyle {
	nodes := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		nodes = node.Content
	}
	style := quoteIfNeeded
	for _, item := range nodes {
		if item.Kind != yaml.ScalarNode || readScalar(item).Kind != Text {
			continue
		}
		switch {
		case item.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0:
			return quoteIfNeeded
		case needsQuotes(item.Value):
		case item.Style&yaml.DoubleQuotedStyle != 0:
			style = quoteDouble
		default:
			style = quoteSingle
		}
	}
	return style
}
