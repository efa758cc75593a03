package edit

import (
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
)

// UpdateBlock replaces the text of a block. Its id stays, and so do a list item's marker, checkbox and indent, the marks
// of a quote, the title of a callout and the fences of code and math, unless the content brings its own. The children of
// a list item stay unless the content has nested items.
func UpdateBlock(note *md.Note, block Block, content string) ([]md.Splice, error) {
	if err := block.editable(note); err != nil {
		return nil, err
	}
	if block.item >= 0 {
		return updateItem(note, block, content)
	}
	eol := md.LineEnd(note.Source, block.Span.Start)
	text, err := block.checkText(content)
	if err != nil {
		return nil, err
	}
	body := strings.ReplaceAll(dress(BlockText(note, block), block.kind, text), "\n", eol)
	if body == BlockText(note, block) {
		return nil, nil
	}
	for _, mark := range block.marks(note.Source, eol, "") {
		splices := []md.Splice{{Span: block.whole(), Text: []byte(body + mark)}}
		if block.fits(note, splices, block.Span.Start+len(strings.TrimRight(body+mark, " \t\r\n"))) {
			return splices, nil
		}
	}
	return nil, block.misfit()
}

// AppendBlock adds text at the end of a block, before its id, on lines of its own. Text for a list item gets the item's
// indent, and list items become its last children; text for a fenced block goes inside the fence.
func AppendBlock(note *md.Note, block Block, text string) ([]md.Splice, error) {
	if err := block.editable(note); err != nil {
		return nil, err
	}
	text, err := block.checkText(text)
	if err != nil {
		return nil, err
	}
	candidates := block.appendTop
	if block.item >= 0 {
		candidates = block.appendItem
	}
	for _, added := range candidates(note, text) {
		splices := []md.Splice{added}
		if block.fits(note, splices, block.whole().End+len(added.Text)) {
			return splices, nil
		}
	}
	return nil, block.misfit()
}

// DeleteBlock removes a block with its id, and with the blank lines that would otherwise double.
func DeleteBlock(note *md.Note, block Block) ([]md.Splice, error) {
	if err := block.editable(note); err != nil {
		return nil, err
	}
	src := note.Source
	lines := md.Span{Start: block.Span.Start, End: md.NextLine(src, block.whole().End)}
	removed := withoutDoubleGap(note, lines)
	eol := md.LineEnd(src, lines.Start)
	for _, keeps := range []func(before, after *md.Note, lines md.Span) bool{sameBlocks, sameHeadings} {
		for _, gap := range []string{"", eol} {
			splices := []md.Splice{{Span: removed, Text: []byte(gap)}}
			if keeps(note, md.Scan(md.Apply(src, splices)), lines) {
				return splices, nil
			}
		}
	}
	return nil, fault.InvalidArgument.Errorf("without ^%s, the text around it would become a heading", block.ID).
		WithHint("use replace_text")
}

// withoutDoubleGap extends lines that are to be removed by the blank lines on one side, so that of two gaps the larger
// one stays. A gap at the end of the note goes too.
func withoutDoubleGap(note *md.Note, lines md.Span) md.Span {
	src := note.Source
	before, after := lines.Start, lines.End
	above, below := 0, 0
	for ; before > note.Body && isBlank(src[md.LineStart(src, before-1):before]); above++ {
		before = max(note.Body, md.LineStart(src, before-1))
	}
	for ; after < len(src) && isBlank(src[after:md.NextLine(src, after)]); below++ {
		after = md.NextLine(src, after)
	}
	switch {
	case before == note.Body && after == len(src):
	case after == len(src):
		lines.Start = before
		if lines.End == len(src) && src[len(src)-1] != '\n' {
			lines.Start -= len(md.LineEnd(src, before)) // the note still ends without a newline
		}
	case before == note.Body || above > below:
		lines.End = after
	default:
		lines.Start = before
	}
	return lines
}

// sameBlocks reports whether a note has the same headings, blocks and list items without some of its lines as before.
func sameBlocks(before, after *md.Note, lines md.Span) bool {
	blocks, items := 0, 0
	for _, block := range before.Blocks {
		if block.Kind != md.Blank && (block.Start < lines.Start || block.End > lines.End) {
			blocks++
		}
	}
	for _, item := range before.Items {
		if item.Start < lines.Start || item.Start >= lines.End {
			items++
		}
	}
	for _, block := range after.Blocks {
		if block.Kind != md.Blank {
			blocks--
		}
	}
	return blocks == 0 && items == len(after.Items) && sameHeadings(before, after, lines)
}

// sameHeadings reports whether a note without some of its lines, which hold no heading, has the same headings as before.
func sameHeadings(before, after *md.Note, _ md.Span) bool {
	return len(before.Headings) == len(after.Headings) && sameOutline(before, after, 0, len(before.Headings))
}

// editable refuses blocks that have no lines of their own to edit.
func (b Block) editable(note *md.Note) error {
	switch {
	case b.kind == md.HeadingBlock && !b.nested:
		return fault.InvalidArgument.Errorf("^%s names a heading", b.ID).WithHint("give the heading's text as the section")
	case b.nested, b.item >= 0 && sharesLine(note, b.item):
		return fault.InvalidArgument.Errorf("^%s is inside a list item, a quote or a footnote, and its lines are not its own", b.ID).
			WithHint("use replace_text")
	}
	return nil
}

// sharesLine reports whether a list item starts on the line of the item that it is nested in.
func sharesLine(note *md.Note, item int) bool {
	parent := note.Items[item].Parent
	return parent >= 0 && note.Items[parent].Start == note.Items[item].Start
}

// whole is the block with its id.
func (b Block) whole() md.Span {
	return md.Span{Start: b.Span.Start, End: max(b.Span.End, b.mark.End)}
}

// fits reports whether, after an edit, the id names the block up to the given end, and the note's headings are the same.
func (b Block) fits(note *md.Note, splices []md.Splice, end int) bool {
	after := md.Scan(md.Apply(note.Source, splices))
	found, err := FindBlock(after, b.ID)
	return err == nil && !found.nested && found.Span.Start == b.Span.Start && (found.item >= 0) == (b.item >= 0) &&
		textEnd(after.Source, found.Span.Start, found.whole().End) == end && sameHeadings(note, after, b.Span)
}

func (b Block) misfit() error {
	return fault.InvalidArgument.Errorf("with this text, ^%s would no longer name one block", b.ID).
		WithHint("send a single paragraph, list, table, quote or code block; for more, edit the section around it")
}

// marks returns the ways to write the id after the block's text: as it was, at the end of the last line, and on a line of
// its own, which starts with the indent.
func (b Block) marks(src []byte, eol, indent string) []string {
	own := eol + strings.TrimRight(indent, " \t") + eol + indent + "^" + b.ID
	return []string{string(b.mark.Of(src)), " ^" + b.ID, own, own + eol}
}

// checkText returns the text to write without blank lines around it and without the block's own id. It refuses another
// id, unless a list item inside the text has it.
func (b Block) checkText(text string) (string, error) {
	text = strings.TrimRight(strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), " \t\n")
	if strings.TrimSpace(text) == "" {
		return "", fault.InvalidArgument.Errorf("the text for ^%s is empty", b.ID).WithHint("use delete_section to remove the block")
	}
	scanned := md.ScanText([]byte(text))
	if len(scanned.IDs) == 0 {
		return text, nil
	}
	last := scanned.IDs[len(scanned.IDs)-1]
	if last.Name.End != len(text) {
		return text, nil
	}
	name := string(last.Name.Of(scanned.Source))
	switch raw := b.kind == md.Code || b.kind == md.Math; {
	case strings.EqualFold(name, b.ID):
		return strings.TrimRight(text[:blockOf(scanned, last).mark.Start], " \t\n"), nil
	case raw, last.Target == md.IDListItem:
		return text, nil
	}
	return "", fault.InvalidArgument.Errorf("the text ends in ^%s, but the block's id ^%s stays", name, b.ID).
		WithHint("leave the id out of the text")
}

// appendTop returns the ways to add text to a top-level block.
func (b Block) appendTop(note *md.Note, text string) []md.Splice {
	src := note.Source
	eol := md.LineEnd(src, b.Span.Start)
	at := b.textEnd()
	if b.kind == md.Quote || b.kind == md.CalloutBlock {
		text = quoted(text)
	}
	lines := strings.ReplaceAll(text, "\n", eol)
	if closing := max(b.Span.Start, md.LineStart(src, at)); closing > b.Span.Start && isFence(b.kind, string(src[closing:at])) {
		return insert(closing, lines+eol)
	}
	return insert(at, eol+lines)
}

// textEnd is where the text of a block ends: before its id, if that comes last.
func (b Block) textEnd() int {
	if b.mark.End >= b.Span.End {
		return min(b.mark.Start, b.Span.End)
	}
	return b.Span.End
}
