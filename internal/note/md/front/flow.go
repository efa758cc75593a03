package front

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
)

// Frontmatter may be one JSON object, or YAML's { … }, from end to end. Its
// properties are edited between its braces, and written as JSON.

func (b *Block) isFlow() bool { return b.root != nil && b.root.Style&yaml.FlowStyle != 0 }

// pair is where a property is written between the braces.
func (b *Block) pair(property entry) md.Span {
	span := md.Span{Start: b.start(property.names)}
	if isEmptyNode(property.holds) {
		span.End = b.afterColon(b.place(property.names, 0, true).End)
	} else {
		span.End = b.place(property.holds, 0, true).End
	}
	return span
}

func (b *Block) replaceFlow(property entry, value Value) ([]md.Splice, error) {
	if isEmptyNode(property.holds) {
		return nil, fault.InvalidArgument.Errorf("the property %q is written in a form that cannot be edited", property.key).
			WithHint("change it in the note's text")
	}
	span := b.place(property.holds, 0, true)
	span.Start = b.start(property.holds)
	return []md.Splice{b.splice(span, string(value.appendJSON(nil)))}, nil
}

// addFlow puts a pair behind the last one, on a line of its own if that one
// has one.
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

// removeFlow takes a pair out with the comma that is then one too many.
func (b *Block) removeFlow(at int) []md.Splice {
	gone := b.pair(b.entries[at])
	switch {
	case len(b.entries) == 1:
		if rest := strings.Trim(string(b.yaml()[gone.End:]), " \t\r\n,}"); rest == "" {
			return []md.Splice{{Span: b.front.Block}}
		}
	case at > 0:
		gone.Start = b.pair(b.entries[at-1]).End
	default:
		gone.End = b.start(b.entries[1].names)
	}
	return []md.Splice{b.splice(gone, "")}
}
