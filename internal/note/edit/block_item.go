package edit

import (
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
)

// itemText is the new text of a list item.
type itemText struct {
	box      string // "[x] ", if the text has a checkbox of its own
	first    string // the line after the marker
	rest     string // the other lines
	absolute bool   // rest is indented from the marker rather than from the item's text
}

// updateItem replaces the text of a list item, and its children if the content has nested items.
func updateItem(note *md.Note, block Block, content string) ([]md.Splice, error) {
	src := note.Source
	eol := md.LineEnd(src, block.Span.Start)
	item := note.Items[block.item]
	text, err := readItem(block, item.IsTask(), content)
	if err != nil {
		return nil, err
	}
	head, box := itemHead(src, item)
	if text.box != "" {
		box = text.box
	}
	indent := indentOf(head)
	restIndent := indent
	if text.absolute {
		restIndent = block.lead(src)
	}
	assembled := head + box + text.first
	if text.rest != "" {
		assembled += "\n" + prefixLines(text.rest, restIndent)
	}
	assembled = strings.ReplaceAll(assembled, "\n", eol)
	assembled, own, err := block.placeID(note, assembled)
	if err != nil {
		return nil, err
	}
	oldOwn, marked := ownEnd(note, block.item), false
	if own == len(assembled) { // no children of its own
		assembled += string(src[oldOwn:max(oldOwn, block.whole().End)])
		marked = block.mark.Start >= oldOwn
	}
	marks := block.marks(src, eol, indent)
	if marked {
		marks = []string{""}
	}
	for _, mark := range marks {
		changed := assembled[:own] + mark + assembled[own:]
		splices := []md.Splice{{Span: block.whole(), Text: []byte(changed)}}
		if block.fits(note, splices, textEnd([]byte(changed), 0, len(changed))+block.Span.Start) {
			if changed == string(block.whole().Of(src)) {
				return nil, nil
			}
			return splices, nil
		}
	}
	return nil, block.misfit()
}

// readItem takes the new text of a list item or task apart, which may come with or without a marker.
func readItem(block Block, isTask bool, content string) (itemText, error) {
	text := strings.TrimRight(strings.Trim(strings.ReplaceAll(content, "\r\n", "\n"), "\n"), " \t\n")
	if strings.TrimSpace(text) == "" {
		return itemText{}, fault.InvalidArgument.Errorf("the text for ^%s is empty", block.ID).WithHint("use delete_section to remove the block")
	}
	text = flushLeft(text)
	if isTask && hasBox(text) {
		text = "- " + text // a checkbox replaces the checkbox, also without a marker
	}
	scanned := md.ScanText([]byte(text))
	first, rest, _ := strings.Cut(text, "\n")
	if len(scanned.Items) == 0 || scanned.Items[0].Start != 0 {
		return itemText{first: first, rest: rest, absolute: isIndented(rest)}, nil
	}
	for _, item := range scanned.Items[1:] {
		if item.Parent < 0 {
			return itemText{}, fault.InvalidArgument.Errorf("the text has several list items, but ^%s names one", block.ID).
				WithHint("send one item; add others with append_section or insert_text")
		}
	}
	_, box := itemHead(scanned.Source, scanned.Items[0])
	return itemText{box: box, first: first[min(len(first), scanned.Items[0].Text):], rest: rest, absolute: true}, nil
}

// flushLeft removes the indent of a text's first line from all its lines.
func flushLeft(text string) string {
	lead := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	if lead == "" {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = string(outdent([]byte(line), lead))
	}
	return strings.Join(lines, "\n")
}

// hasBox reports whether a text starts with a checkbox.
func hasBox(text string) bool {
	items := md.ScanText([]byte("- " + text)).Items
	return len(items) > 0 && items[0].IsTask()
}

// isIndented reports whether all lines that are not blank start with white space.
func isIndented(lines string) bool {
	for line := range strings.Lines(lines) {
		if strings.TrimSpace(line) != "" && !isSpaceOrTab(line[0]) {
			return false
		}
	}
	return true
}

// itemHead returns what precedes the text of a list item on its line: indent and marker, and the checkbox.
func itemHead(src []byte, item md.Item) (head, box string) {
	end := item.Text
	if item.IsTask() {
		end = item.Task.Start - 1
	}
	return string(src[item.Start:end]), string(src[end:item.Text])
}

// indentOf returns the white space, and the marks of quotes, that lines need to belong to an item with this head.
func indentOf(head string) string {
	return strings.Map(func(r rune) rune {
		if r == '>' || r == '\t' {
			return r
		}
		return ' '
	}, head)
}

// ownEnd returns where the own text of a list item ends: before its children.
func ownEnd(note *md.Note, index int) int {
	item := note.Items[index]
	end := item.End
	if index+1 < len(note.Items) && note.Items[index+1].Parent == index {
		end = note.Items[index+1].Start
	}
	return textEnd(note.Source, item.Text, max(item.Text, end))
}

// placeID finds where the id of an item with a new text belongs, as an offset in the text. If the text has the block's
// id already, that is removed; another id is an error.
func (b Block) placeID(note *md.Note, text string) (string, int, error) {
	trial, index := b.try(note, text)
	for _, id := range trial.IDs {
		if index < 0 || id.Target != md.IDListItem || itemOf(trial, id) != index {
			continue
		}
		if name := string(id.Name.Of(trial.Source)); !strings.EqualFold(name, b.ID) {
			return "", 0, fault.InvalidArgument.Errorf("the text ends in ^%s, but the block's id ^%s stays", name, b.ID).
				WithHint("leave the id out of the text")
		}
		mark := blockOf(trial, id).mark
		text = text[:mark.Start-b.Span.Start] + text[mark.End-b.Span.Start:]
		trial, index = b.try(note, text)
		break
	}
	if index < 0 {
		return "", 0, b.misfit()
	}
	return text, ownEnd(trial, index) - b.Span.Start, nil
}

// try scans the note with another text for the item, and returns the item's index.
func (b Block) try(note *md.Note, text string) (*md.Note, int) {
	trial := md.Scan(md.Apply(note.Source, []md.Splice{{Span: b.whole(), Text: []byte(text)}}))
	for i, item := range trial.Items {
		if item.Start == b.Span.Start {
			return trial, i
		}
	}
	return trial, -1
}

// appendItem returns the ways to add text to a list item: to its own text, and behind its children. A text that is a
// list belongs behind the children.
func (b Block) appendItem(note *md.Note, text string) []md.Splice {
	src := note.Source
	eol := md.LineEnd(src, b.Span.Start)
	text = flushLeft(text)
	head, _ := itemHead(src, note.Items[b.item])
	indent := indentOf(head)
	own := ownEnd(note, b.item)
	if b.mark.End == own || b.mark.Start < own && ownLine(src, md.Span{Start: b.mark.End - len(b.ID), End: b.mark.End}) {
		own = b.mark.Start
	}
	first, _, _ := strings.Cut(text, "\n")
	toOwn := insert(own, eol+strings.ReplaceAll(prefixLines(text, indent), "\n", eol))
	end := b.Span.End
	if b.mark.Start < end {
		end = b.whole().End
	}
	if child := b.item + 1; child < len(note.Items) && note.Items[child].Parent == b.item {
		childHead, _ := itemHead(src, note.Items[child])
		indent = childHead[:len(childHead)-len(strings.TrimLeft(childHead, " \t>"))]
	}
	toEnd := insert(end, eol+strings.ReplaceAll(prefixLines(text, indent), "\n", eol))
	if lineKind(first) == '-' {
		return append(toEnd, toOwn...)
	}
	return append(toOwn, toEnd...)
}
