package front

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"obsidian-mcp/internal/note/md"
)

// The library reports where a node starts, as a line and a column in characters, but not where it ends. The functions
// here find both as offsets in the YAML.

// lineStarts returns the offsets at which lines start, as YAML defines lines.
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

// breakWidth returns the length of the line break at the start of text, or 0.
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

// position is a line and a column in characters, with the offset.
type position struct{ line, column, at int }

// start returns where a node starts, including its anchor or tag.
func (b *Block) start(node *yaml.Node) int {
	text := b.yaml()
	if node.Line < 1 || node.Line > len(b.lines) {
		return len(text)
	}
	from := position{node.Line, 1, b.lines[node.Line-1]}
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

// content returns where the content of a node starts, behind its anchor and tag.
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

// span returns the span of a node's content. The indent is that of the enclosing collection; deeper lines belong to the
// node.
func (b *Block) span(node *yaml.Node, indent int, inFlow bool) md.Span {
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

// scalarEnd returns where a scalar ends.
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

// literalEnd returns the end of a block scalar: that of its last line with text, or of the blank lines after it if its
// header keeps them.
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

// plainEnd returns the end of a plain scalar, which may continue on deeper lines.
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

// plainLineEnd returns where a plain scalar ends on a line, and whether something other than the end of the line ends it.
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

// flowEnd returns the end of [ … ] or { … }.
func (b *Block) flowEnd(node *yaml.Node, at int) int {
	text := b.yaml()
	if at >= len(text) || text[at] != '[' && text[at] != '{' {
		// A pair without braces in a list, as in [a: b], ends with its value.
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

// blockEnd returns the end of a block list or map, which is that of its last child.
func (b *Block) blockEnd(node *yaml.Node, at int) int {
	return b.lastEnd(node, at, b.column(at), false)
}

// lastEnd returns the end of the last child of a collection.
func (b *Block) lastEnd(node *yaml.Node, at, indent int, inFlow bool) int {
	if len(node.Content) == 0 {
		return at
	}
	last := node.Content[len(node.Content)-1]
	if node.Kind == yaml.MappingNode && isEmptyNode(last) {
		key := node.Content[len(node.Content)-2]
		return b.afterColon(b.span(key, indent, inFlow).End)
	}
	return b.span(last, indent, inFlow).End
}

// afterColon returns the offset behind the colon of a key that ends at the given offset. Without a colon it returns the
// offset itself.
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

// column returns the number of characters before the offset on its line.
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

// nextLine returns where the next line starts.
func (b *Block) nextLine(at int) int {
	text := b.yaml()
	i := b.lineEnd(at)
	if i < len(text) {
		i += breakWidth(text[i:])
	}
	return i
}

// lineEnd returns the end of the line that contains the offset, without its line break.
func (b *Block) lineEnd(at int) int {
	text := b.yaml()
	line := sort.SearchInts(b.lines, at+1) // index of the next line
	if line == len(b.lines) {
		return len(text)
	}
	end := b.lines[line] - 1
	if end > 0 && text[end] == '\n' && text[end-1] == '\r' {
		end--
	}
	return max(end, at)
}

// skipWhite skips white space, line breaks and comments.
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

// whiteWidth returns how many bytes of white space the line starts with.
func whiteWidth(line []byte) int {
	n := 0
	for n < len(line) && isWhite(line[n]) {
		n++
	}
	return n
}

// leading returns how many spaces the line starts with.
func leading(line []byte) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	return n
}
