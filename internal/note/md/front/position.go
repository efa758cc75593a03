package front

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/note/md"
)

// The library says where a node starts, in lines and characters, and not at
// all where it ends. The functions here find both as offsets in the YAML.

// lineStarts are the offsets at which lines start, by YAML's idea of a line.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for i := 0; i < len(text); {
		width := breakWidth(text[i:])
		if width == 0 {
			i++
			continue
		}
		i += width
		starts = append(starts, i)
	}
	return starts
}

// breakWidth is the length of the line break at the start of text, or 0.
func breakWidth(text []byte) int {
	switch {
	case text[0] == '\n':
		return 1
	case text[0] == '\r':
		if len(text) > 1 && text[1] == '\n' {
			return 2
		}
		return 1
	}
	return 0
}

// located is a place in lines and characters, and as an offset.
type located struct{ line, column, at int }

// start is where a node starts, its anchor or tag included.
func (b *Block) start(node *yaml.Node) int {
	text := b.yaml()
	if node.Line < 1 || node.Line > len(b.lines) {
		return len(text)
	}
	from := located{node.Line, 1, b.lines[node.Line-1]}
	if b.last.line == node.Line && b.last.column <= node.Column {
		from = b.last
	}
	for ; from.column < node.Column; from.column++ {
		if from.at >= len(text) {
			return len(text)
		}
		_, size := utf8.DecodeRune(text[from.at:])
		from.at += size
	}
	b.last = from
	return from.at
}

// content is where a node's own text starts: behind its anchor and tag.
func (b *Block) content(node *yaml.Node) int {
	text := b.yaml()
	at := b.start(node)
	for at < len(text) && (text[at] == '&' || text[at] == '!') {
		for at < len(text) && !isWhite(text[at]) {
			at++
		}
		at = b.skipWhite(at)
	}
	return at
}

// place is where the text of a node is written. The indent is that of the
// collection that holds the node; what is deeper belongs to the node.
func (b *Block) place(node *yaml.Node, indent int, inFlow bool) md.Span {
	at := b.content(node)
	text := b.yaml()
	switch {
	case node.Kind == yaml.AliasNode:
		end := at
		for end < len(text) && !isWhite(text[end]) && bytes.IndexByte([]byte(",]}"), text[end]) < 0 {
			end++
		}
		return md.Span{Start: at, End: end}
	case node.Kind == yaml.ScalarNode:
		return md.Span{Start: at, End: b.scalarEnd(node, at, indent, inFlow)}
	case inFlow || node.Style&yaml.FlowStyle != 0:
		return md.Span{Start: at, End: b.flowEnd(node, at)}
	}
	return md.Span{Start: at, End: b.blockEnd(node, at)}
}

// scalarEnd is where a scalar's text ends.
func (b *Block) scalarEnd(node *yaml.Node, at, indent int, inFlow bool) int {
	switch {
	case node.Style&yaml.DoubleQuotedStyle != 0:
		return b.quoteEnd(at, '"')
	case node.Style&yaml.SingleQuotedStyle != 0:
		return b.quoteEnd(at, '\'')
	case node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return b.literalEnd(at, indent)
	case isEmptyNode(node):
		return at
	}
	return b.plainEnd(at, indent, inFlow)
}

func (b *Block) quoteEnd(at int, quote byte) int {
	text := b.yaml()
	for i := at + 1; i < len(text); i++ {
		switch {
		case quote == '"' && text[i] == '\\':
			i++
		case text[i] != quote:
		case quote == '\'' && i+1 < len(text) && text[i+1] == '\'':
			i++
		default:
			return i + 1
		}
	}
	return len(text)
}

// literalEnd is the end of a block scalar: of its last line with text, or of
// the blank lines behind when its mark says that they count.
func (b *Block) literalEnd(at, indent int) int {
	text := b.yaml()
	head := b.lineEnd(at)
	keep := bytes.IndexByte(text[at:head], '+') >= 0
	end := head
	for next := b.nextLine(at); next < len(text); next = b.nextLine(next) {
		line := text[next:b.lineEnd(next)]
		if isWhiteAll(line) {
			if keep {
				end = b.lineEnd(next)
			}
			continue
		}
		if leading(line) <= indent {
			break
		}
		end = b.lineEnd(next)
	}
	return end
}

// plainEnd is the end of a plain scalar, which may go on over deeper lines.
func (b *Block) plainEnd(at, indent int, inFlow bool) int {
	text := b.yaml()
	end, stopped := b.plainLineEnd(at, inFlow)
	for next := b.nextLine(at); !stopped && next < len(text); next = b.nextLine(next) {
		line := text[next:b.lineEnd(next)]
		if isWhiteAll(line) {
			continue
		}
		if !inFlow && leading(line) <= indent {
			break
		}
		first := next + whiteWidth(line)
		if text[first] == '#' {
			break
		}
		var more int
		if more, stopped = b.plainLineEnd(first, inFlow); more == first {
			break
		}
		end = more
	}
	return end
}

// plainLineEnd is where a plain scalar ends on a line, and whether something
// else than the line's end ends it.
func (b *Block) plainLineEnd(at int, inFlow bool) (int, bool) {
	text := b.yaml()
	stop := b.lineEnd(at)
	i, stopped := at, false
	for ; i < stop && !stopped; i++ {
		switch c := text[i]; {
		case c == '#' && i > at && isWhite(text[i-1]):
			stopped = true
		case c == ':' && (i+1 == stop || isWhite(text[i+1]) || inFlow && isFlowMark(text[i+1])):
			stopped = true
		case inFlow && isFlowMark(c):
			stopped = true
		}
	}
	if stopped {
		i--
	}
	for i > at && isWhite(text[i-1]) {
		i--
	}
	return i, stopped
}

// flowEnd is the end of [ … ] or { … }.
func (b *Block) flowEnd(node *yaml.Node, at int) int {
	text := b.yaml()
	if at >= len(text) || text[at] != '[' && text[at] != '{' {
		// A pair without braces in a list, [a: b], ends with its value.
		return b.lastEnd(node, at, 0, true)
	}
	closing := byte(']')
	if text[at] == '{' {
		closing = '}'
	}
	i := b.lastEnd(node, at+1, 0, true)
	for i < len(text) && text[i] != closing {
		if text[i] == '#' {
			i = b.lineEnd(i)
		} else {
			i++
		}
	}
	return min(i+1, len(text))
}

// blockEnd is the end of a block list or map: that of its last part.
func (b *Block) blockEnd(node *yaml.Node, at int) int {
	return b.lastEnd(node, at, b.column(at), false)
}

// lastEnd is the end of the last thing in a collection.
func (b *Block) lastEnd(node *yaml.Node, at, indent int, inFlow bool) int {
	if len(node.Content) == 0 {
		return at
	}
	last := node.Content[len(node.Content)-1]
	if node.Kind == yaml.MappingNode && isEmptyNode(last) {
		key := node.Content[len(node.Content)-2]
		return b.afterColon(b.place(key, indent, inFlow).End)
	}
	return b.place(last, indent, inFlow).End
}

// afterColon is the offset behind the colon of a key that ends at the offset;
// the offset itself where there is none.
func (b *Block) afterColon(end int) int {
	text := b.yaml()
	i := end
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	if i < len(text) && text[i] == ':' {
		return i + 1
	}
	return end
}

// column is how many characters stand before the offset on its line.
func (b *Block) column(at int) int {
	start := b.lineStart(at)
	return utf8.RuneCount(b.yaml()[start:at])
}

func (b *Block) lineStart(at int) int {
	low, high := 0, len(b.lines)
	for high-low > 1 {
		if middle := (low + high) / 2; b.lines[middle] <= at {
			low = middle
		} else {
			high = middle
		}
	}
	return b.lines[low]
}

// nextLine is where the line after the offset's starts.
func (b *Block) nextLine(at int) int {
	text := b.yaml()
	i := b.lineEnd(at)
	if i < len(text) {
		i += breakWidth(text[i:])
	}
	return i
}

// lineEnd is the end of the offset's line, without its break.
func (b *Block) lineEnd(at int) int {
	text := b.yaml()
	line := sort.SearchInts(b.lines, at+1) // the next line's index
	if line == len(b.lines) {
		return len(text)
	}
	end := b.lines[line] - 1
	if end > 0 && text[end] == '\n' && text[end-1] == '\r' {
		end--
	}
	return max(end, at)
}

// skipWhite moves over white space, line breaks and comments.
func (b *Block) skipWhite(at int) int {
	text := b.yaml()
	for at < len(text) {
		switch {
		case isWhite(text[at]):
			at++
		case text[at] == '#' && at > 0 && isWhite(text[at-1]):
			at = b.lineEnd(at)
		default:
			return at
		}
	}
	return at
}

func isWhite(c byte) bool    { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isFlowMark(c byte) bool { return c == ',' || c == '[' || c == ']' || c == '{' || c == '}' }

func isWhiteAll(line []byte) bool { return whiteWidth(line) == len(line) }

// whiteWidth is how many bytes of white space the line starts with.
func whiteWidth(line []byte) int {
	n := 0
	for n < len(line) && isWhite(line[n]) {
		n++
	}
	return n
}

// leading is the indentation of a line: spaces alone.
func leading(line []byte) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	return n
}
