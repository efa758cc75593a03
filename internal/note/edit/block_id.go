package edit

import (
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/text/order"
)

// FindBlockByText finds the only block whose text contains some words, or the only block of the note if there are none.
// Case, punctuation and line breaks do not matter. The block may have an id or not.
func FindBlockByText(note *md.Note, words string) (Block, error) {
	wanted := md.FoldHeading(words)
	var matches, equal []Block
	for _, block := range linkable(note) {
		text := md.FoldHeading(ownText(note, block))
		if strings.Contains(text, wanted) {
			matches = append(matches, block)
		}
		if text == wanted {
			equal = append(equal, block)
		}
	}
	if len(equal) == 1 {
		matches = equal
	}
	switch {
	case len(matches) == 0 && wanted == "":
		return Block{}, fault.NotFound.Errorf("the note has no text")
	case len(matches) == 0:
		return Block{}, fault.NotFound.Errorf("no block has the id or contains the words %q", words).
			WithHint("give words of one paragraph, list item, table, quote or code block")
	case len(matches) > 1:
		return Block{}, fault.AmbiguousName.Errorf("%d blocks match, on lines %s", len(matches), linesOf(matches)).
			WithHint("give more words of the block after #^")
	}
	return matches[0], nil
}

// maxListed is how many blocks an error lists.
const maxListed = 10

// linesOf lists the lines of blocks. An error must not quote a note, so it does not show their text.
func linesOf(blocks []Block) string {
	var lines []string
	for _, block := range blocks[:min(maxListed, len(blocks))] {
		lines = append(lines, strconv.Itoa(block.Line))
	}
	if len(blocks) > maxListed {
		lines = append(lines, "…")
	}
	return strings.Join(lines, ", ")
}

// linkable returns the blocks of a note that a link can name: list items, and the blocks at the top level except
// headings, rules and comments.
func linkable(note *md.Note) []Block {
	named, marks := map[int]Block{}, map[int]bool{} // named: items by index, other blocks by -1-offset
	for _, block := range Blocks(note) {
		if key := block.key(); named[key].ID == "" {
			named[key] = block
		}
		marks[md.LineStart(note.Source, block.mark.End)] = block.mark.Start >= block.Span.End
	}
	var blocks []Block
	add := func(block Block) {
		if known, ok := named[block.key()]; ok {
			block = known
		}
		blocks = append(blocks, block)
	}
	for i, item := range note.Items {
		add(Block{Span: withoutBlankEnd(note.Source, item.Span), Line: item.Line, kind: md.List, item: i})
	}
	for _, top := range note.Blocks {
		switch top.Kind {
		case md.Paragraph, md.Quote, md.CalloutBlock, md.Code, md.Table, md.HTML, md.Math, md.FootnoteBlock:
			if !marks[top.Start] {
				add(Block{Span: withoutBlankEnd(note.Source, top.Span), Line: top.Line, kind: top.Kind, item: -1})
			}
		}
	}
	order.Stably(blocks, func(a, b Block) int { return a.Line - b.Line })
	return blocks
}

func (b Block) key() int {
	if b.item >= 0 {
		return b.item
	}
	return -1 - b.Span.Start
}

// ownText is the text of a block without its id, of a list item without its children.
func ownText(note *md.Note, block Block) string {
	if block.item < 0 {
		return BlockText(note, block)
	}
	text := string(note.Source[note.Items[block.item].Text:ownEnd(note, block.item)])
	return strings.TrimSuffix(text, "^"+block.ID)
}

// NameBlock gives a block an id, in the place where Obsidian puts it: at the end of a paragraph or list item, and on a
// line of its own after any other block.
func NameBlock(note *md.Note, block Block, id string) ([]md.Splice, error) {
	src := note.Source
	eol := md.LineEnd(src, block.Span.Start)
	own := eol + eol + "^" + id
	if next := md.NextLine(src, block.Span.End); next < len(src) && !isBlank(src[next:md.NextLine(src, next)]) {
		own += eol
	}
	inline := insert(block.Span.End, " ^"+id)
	candidates := [][]md.Splice{insert(block.Span.End, own)}
	if block.item >= 0 {
		text := note.Items[block.item].Text
		end := ownEnd(note, block.item)
		firstLine := textEnd(src, text, max(text, min(end, md.NextLine(src, text))))
		candidates = [][]md.Splice{insert(firstParagraph(src, text, end), " ^"+id), insert(firstLine, " ^"+id)}
	} else if block.kind == md.Paragraph || block.kind == md.FootnoteBlock {
		candidates = append([][]md.Splice{inline}, candidates...)
	}
	for _, splices := range candidates {
		after := md.Scan(md.Apply(src, splices))
		found, err := FindBlock(after, id)
		if err == nil && !found.nested && found.Span.Start == block.Span.Start && found.item == block.item && sameHeadings(note, after, block.Span) {
			return splices, nil
		}
	}
	return nil, fault.InvalidArgument.Errorf("the block on line %d cannot have an id", block.Line).WithHint("link to the heading above it")
}

// firstParagraph returns where the first paragraph between two offsets ends.
func firstParagraph(src []byte, start, end int) int {
	for at := start; at < end; at = md.NextLine(src, at) {
		if at > start && isBlank(src[at:md.NextLine(src, at)]) {
			return textEnd(src, start, at)
		}
	}
	return end
}
