package front

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
)

// Set sets the value of a property. The splices touch only the lines of that property. A new property goes last; a note
// without frontmatter gets a block. Setting the current value changes nothing.
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
		// The lines after the property would become part of the literal block.
		layout, _ := b.layoutOf(b.entries[at])
		old := md.Span{Start: layout.colon, End: b.lineEnd(layout.value.End)}
		return b.checked([]md.Splice{b.splice(old, " "+doubleQuoted(value.Text))}, wanted)
	}
	return splices, err
}

// Remove removes a property. With the last property it removes the entire block, unless comments are left in it. Removing
// a property that does not exist changes nothing.
func (b *Block) Remove(key string) ([]md.Splice, error) {
	at := b.find(key)
	if at < 0 {
		return nil, nil
	}
	wanted := slices.Delete(b.Fields(), at, at+1)
	if b.isFlow() {
		return b.checked(b.removeFlow(at), wanted)
	}
	layout, err := b.layoutOf(b.entries[at])
	if err != nil {
		return nil, err
	}
	lines := md.Span{Start: b.lineStart(layout.key.Start), End: b.nextLine(layout.value.End)}
	rest := slices.Concat(b.yaml()[:lines.Start], b.yaml()[lines.End:])
	if len(b.entries) == 1 && isWhiteAll(rest) {
		if splices, err := b.checked([]md.Splice{{Span: b.front.Block}}, nil); err == nil {
			return splices, nil
		} // otherwise the body would become frontmatter, so an empty block stays
	}
	return b.checked([]md.Splice{b.splice(lines, "")}, wanted)
}

// layout locates the parts of a property in the YAML.
type layout struct {
	key     md.Span
	colon   int     // the offset behind the colon
	value   md.Span // empty and behind the colon if there is no value
	indent  int     // of the key
	oneLine bool    // the value is a scalar on the key's line
}

// layoutOf locates the parts of a property that is written on lines of its own.
func (b *Block) layoutOf(property entry) (layout, error) {
	found := layout{indent: b.column(b.start(property.keyNode))}
	found.key = b.span(property.keyNode, found.indent, false)
	found.key.Start = b.start(property.keyNode)
	found.colon = b.afterColon(found.key.End)
	if property.keyNode.Kind != yaml.ScalarNode || found.colon == found.key.End || found.indent != b.rootIndent() {
		return layout{}, notEditable(property)
	}
	if isEmptyNode(property.valueNode) {
		found.value = md.Span{Start: found.colon, End: found.colon}
		found.oneLine = true
		return found, nil
	}
	found.value = b.span(property.valueNode, found.indent, false)
	found.value.Start = b.start(property.valueNode)
	found.oneLine = property.valueNode.Kind&(yaml.ScalarNode|yaml.AliasNode) != 0 &&
		property.valueNode.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 &&
		b.lineStart(found.colon) == b.lineStart(found.value.End)
	return found, nil
}

func notEditable(property entry) error {
	return fault.InvalidArgument.Errorf("the property %q is written in a form that cannot be edited", property.key).
		WithHint("edit it in the text of the note")
}

// replace replaces the value of a property.
func (b *Block) replace(property entry, value Value) ([]md.Splice, error) {
	if b.isFlow() {
		return b.replaceFlow(property, value)
	}
	at, err := b.layoutOf(property)
	if err != nil {
		return nil, err
	}
	w := writer{eol: b.eol(), quote: quotingOf(property.valueNode)}
	text := b.yaml()
	end := b.lineEnd(at.value.End)
	switch {
	case !at.oneLine:
		written := w.property(value, at.indent, b.listIndent(property, at.indent))
		return []md.Splice{b.splice(md.Span{Start: at.colon, End: end}, written)}, nil
	case value.Kind == Null:
		return []md.Splice{b.splice(md.Span{Start: at.colon, End: at.value.End}, "")}, nil
	case value.isBlock():
		old := md.Span{Start: at.colon, End: at.value.End}
		if isWhiteAll(text[at.value.End:end]) {
			old.End = end
		}
		return []md.Splice{b.splice(old, ""), b.splice(md.Span{Start: end, End: end},
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

// add adds a new property after the others.
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

// checked applies the splices to a copy and returns them if the result has exactly the wanted properties.
func (b *Block) checked(splices []md.Splice, wanted []Field) ([]md.Splice, error) {
	if b.frozen != nil {
		return nil, b.frozen
	}
	note := md.Scan(md.Apply(b.src, splices))
	after, err := Parse(note)
	if err != nil || !sameFields(after.Fields(), wanted) {
		return nil, fault.InvalidArgument.Errorf("the property cannot be changed without changing others that depend on it").
			WithHint("edit the frontmatter in the text of the note")
	}
	return splices, nil
}

func sameFields(got, wanted []Field) bool {
	return slices.EqualFunc(got, wanted, func(a, b Field) bool { return a.Key == b.Key && a.Value.Equal(b.Value) })
}

// splice converts a change of the YAML into a change of the note.
func (b *Block) splice(span md.Span, text string) md.Splice {
	base := b.front.YAML.Start
	return md.Splice{Span: md.Span{Start: base + span.Start, End: base + span.End}, Text: []byte(text)}
}

// eol returns the line end of the opening fence, which new lines use too.
func (b *Block) eol() string {
	if bytes.HasSuffix(b.src[b.front.Block.Start:b.front.YAML.Start], []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// rootIndent returns the indentation of the keys.
func (b *Block) rootIndent() int {
	if len(b.entries) == 0 {
		return 0
	}
	return b.column(b.start(b.root))
}

// listIndent returns the indentation for the dashes of a property's list: the current one, else that of another list.
func (b *Block) listIndent(property entry, indent int) int {
	if isBlockList(property.valueNode) {
		return b.column(b.start(property.valueNode))
	}
	for _, other := range b.entries {
		if isBlockList(other.valueNode) {
			return indent + b.column(b.start(other.valueNode)) - b.column(b.start(other.keyNode))
		}
	}
	return indent + indentStep
}

func isBlockList(node *yaml.Node) bool {
	return node != nil && node.Kind == yaml.SequenceNode && node.Style&yaml.FlowStyle == 0
}

// quotingOf returns the quote style to keep for a property: the style of its texts, if all of them are quoted and some
// without need.
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
