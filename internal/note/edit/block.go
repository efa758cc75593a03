package edit

import (
	"bytes"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
)

// Block is a part of a note that an id names or could name: a paragraph, a list item with its children, a whole list, a
// table, a quote and so on.
type Block struct {
	ID   string  // without the ^; "" if it has none
	Span md.Span // from the start of its first line to the end of its last line's text
	Line int

	kind   md.BlockKind // of the top-level block
	item   int          // index of the list item, or -1
	nested bool         // inside a container where it cannot be edited
	mark   md.Span      // the id with the white space or the blank lines before it
}

// FindBlock finds the block with an id, which may be written with the ^. Case does not matter, and the first block with
// the id owns it.
func FindBlock(note *md.Note, id string) (Block, error) {
	found := note.FindID(strings.TrimPrefix(strings.TrimSpace(id), "^"))
	if found < 0 {
		return Block{}, fault.NotFound.Errorf("block %q not found", id)
	}
	return blockOf(note, note.IDs[found]), nil
}

// Blocks returns the blocks that have an id, each id once, in the order of the ids.
func Blocks(note *md.Note) []Block {
	var blocks []Block
	seen := map[string]bool{}
	for _, id := range note.IDs {
		name := strings.ToLower(string(id.Name.Of(note.Source)))
		if !seen[name] {
			seen[name] = true
			blocks = append(blocks, blockOf(note, id))
		}
	}
	return blocks
}

func blockOf(note *md.Note, id md.BlockID) Block {
	block := Block{ID: string(id.Name.Of(note.Source)), Line: id.Line, item: -1, nested: true}
	block.Span = withoutBlankEnd(note.Source, id.Block)
	if id.Target == md.IDListItem {
		block.kind, block.item = md.List, itemOf(note, id)
		block.nested = block.item < 0
	} else if top, ok := topBlock(note, id.Block.Start); ok && top.Span == id.Block {
		block.kind, block.nested = top.Kind, false
	}
	block.mark = markOf(note.Source, block, id.Name)
	if block.mark.End == block.Span.End && block.mark.Start >= block.Span.Start && ownLine(note.Source, id.Name) {
		block.Span.End = block.mark.Start
	}
	return block
}

// itemOf returns the index of the list item that an id names, or -1. Of items that start on the same line it is the
// innermost one.
func itemOf(note *md.Note, id md.BlockID) int {
	for i, item := range slices.Backward(note.Items) {
		if item.Span == id.Block && item.Text < id.Name.Start {
			return i
		}
	}
	return -1
}

func topBlock(note *md.Note, start int) (md.Block, bool) {
	at, ok := slices.BinarySearchFunc(note.Blocks, start, func(block md.Block, start int) int { return block.Start - start })
	if !ok {
		return md.Block{}, false
	}
	return note.Blocks[at], true
}

// markOf returns what an id takes up. On a line of its own that includes the line ends before it.
func markOf(src []byte, block Block, name md.Span) md.Span {
	mark := md.Span{Start: name.Start - 1, End: name.End}
	switch {
	case mark.Start >= block.Span.End:
		mark.Start = block.Span.End
	case ownLine(src, name):
		mark.Start = textEnd(src, block.Span.Start, md.LineStart(src, name.Start))
	default:
		for mark.Start > block.Span.Start && isSpaceOrTab(src[mark.Start-1]) {
			mark.Start--
		}
	}
	return mark
}

// ownLine reports whether an id is alone on its line, apart from the marks of a quote.
func ownLine(src []byte, name md.Span) bool {
	for _, c := range src[md.LineStart(src, name.Start) : name.Start-1] {
		if !isSpaceOrTab(c) && c != '>' {
			return false
		}
	}
	return true
}

func isSpaceOrTab(c byte) bool { return c == ' ' || c == '\t' }

// textEnd returns where the text between two offsets ends, without blank lines, quoted ones included.
func textEnd(src []byte, start, end int) int {
	for {
		end = start + len(bytes.TrimRight(src[start:end], " \t\r\n"))
		line := max(start, md.LineStart(src, end))
		if line == start || len(bytes.Trim(src[line:end], "> \t")) > 0 {
			return end
		}
		end = line
	}
}

func withoutBlankEnd(src []byte, span md.Span) md.Span {
	span.End = span.Start + len(bytes.TrimRight(span.Of(src), " \t\r\n"))
	return span
}

// BlockText returns the lines of a block without its id. A list item loses the indent that it has in its list.
func BlockText(note *md.Note, block Block) string {
	shifted := block.Mark()
	shifted.Start, shifted.End = shifted.Start-block.Span.Start, shifted.End-block.Span.Start
	text := md.Apply(block.Span.Of(note.Source), []md.Splice{{Span: shifted}})
	return string(bytes.TrimRight(block.Outdent(note.Source, text), " \t\r\n"))
}

// Mark returns the span of the id inside the block, or an empty one if the id follows the block.
func (b Block) Mark() md.Span {
	if b.mark.Len() == 0 || b.mark.Start >= b.Span.End {
		return md.Span{Start: b.Span.End, End: b.Span.End}
	}
	return b.mark
}

// Outdent removes the indent of a list item from its lines.
func (b Block) Outdent(src, text []byte) []byte {
	lead := b.lead(src)
	if lead == "" {
		return text
	}
	var trimmed []byte
	for line := range bytes.Lines(text) {
		trimmed = append(trimmed, outdent(line, lead)...)
	}
	return trimmed
}

// lead returns what precedes the marker of a list item on its line: white space, and the marks of quotes around it.
func (b Block) lead(src []byte) string {
	if b.item < 0 {
		return ""
	}
	end := b.Span.Start
	for end < b.Span.End && (isSpaceOrTab(src[end]) || src[end] == '>') {
		end++
	}
	return string(src[b.Span.Start:end])
}

// outdent removes the lead from a line, or as much of it as the line has.
func outdent(line []byte, lead string) []byte {
	if rest, ok := bytes.CutPrefix(line, []byte(lead)); ok {
		return rest
	}
	for quotes := strings.Count(lead, ">"); quotes > 0; quotes-- {
		rest := bytes.TrimLeft(line, " \t")
		if len(rest) == 0 || rest[0] != '>' {
			break
		}
		line = rest[1:]
		if len(line) > 0 && line[0] == ' ' {
			line = line[1:]
		}
	}
	width := columns(lead[strings.LastIndexByte(lead, '>')+1:])
	if strings.Contains(lead, ">") {
		width--
	}
	for column := 0; len(line) > 0 && isSpaceOrTab(line[0]) && column < width; line = line[1:] {
		column = nextColumn(column, line[0])
	}
	return line
}

// columns is the width of white space.
func columns(space string) int {
	width := 0
	for i := range len(space) {
		width = nextColumn(width, space[i])
	}
	return width
}

func nextColumn(column int, c byte) int {
	if c == '\t' {
		return column + 4 - column%4
	}
	return column + 1
}
