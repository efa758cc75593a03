package front

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/note/md"
)

// The entire frontmatter may be one JSON object, or a flow mapping { … } in YAML. Its properties are edited between the
// braces and written as JSON.

func (b *Block) isFlow() bool { return b.root != nil && b.root.Style&yaml.FlowStyle != 0 }

// pair returns the span of a property between the braces.
func (b *Block) pair(property entry) md.Span {
	span := md.Span{Start: b.start(property.keyNode)}
	if isEmptyNode(property.valueNode) {
		span.End = b.afterColon(b.span(property.keyNode, 0, true).End)
	} else {
		span.End = b.span(property.valueNode, 0, true).End
	}
	return span
}

func (b *Block) replaceFlow(property entry, value Value) ([]md.Splice, error) {
	if isEmptyNode(property.valueNode) {
		return nil, notEditable(property)
	}
	span := b.span(property.valueNode, 0, true)
	span.Start = b.start(property.valueNode)
	return []md.Splice{b.splice(span, string(value.appendJSON(nil)))}, nil
}

// addFlow adds a pair after the last one, on its own line if the last one has its own line.
func (b *Block) addFlow(key string, value Value) []md.Splice {
	w := writer{json: true}
	written := w.key(key) + ":" + w.property(value, 0, 0)
	text := b.yaml()
	if len(b.entries) == 0 {
		at := b.start(b.root) + 1
		return []md.Splice{b.splice(md.Span{Start: at, End: at}, written)}
	}
	last := b.pair(b.entries[len(b.entries)-1])
	lead := text[b.lineStart(last.Start):last.Start]
	separator := ", "
	if isWhiteAll(lead) && b.lineStart(last.Start) > 0 {
		separator = "," + b.eol() + string(lead)
	}
	return []md.Splice{b.splice(md.Span{Start: last.End, End: last.End}, separator+written)}
}

// removeFlow removes a pair and a comma next to it.
func (b *Block) removeFlow(at int) []md.Splice {
	removed := b.pair(b.entries[at])
	switch {
	case len(b.entries) == 1:
		if rest := strings.Trim(string(b.yaml()[removed.End:]), " \t\r\n,}"); rest == "" {
			return []md.Splice{{Span: b.front.Block}}
		}
	case at > 0:
		removed.Start = b.pair(b.entries[at-1]).End
	default:
		removed.End = b.start(b.entries[1].keyNode)
	}
	return []md.Splice{b.splice(removed, "")}
}
