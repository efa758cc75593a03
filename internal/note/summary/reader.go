package summary

import (
	"bytes"
	"strings"

	"obsidian-mcp/internal/note/md"
)

// reader collects the units of a note, block by block.
type reader struct {
	note     *md.Note
	text     *text
	plain    plainText
	items    []md.Item // the items that have not been reached yet
	callouts []md.Callout

	lines   []md.Span // of the current unit
	current unit
}

// read returns the text of a note without markup.
func read(note *md.Note) *text {
	units := make([]unit, 0, len(note.Blocks)/2+len(note.Items))
	r := reader{note: note, text: &text{units: units}, items: note.Items, callouts: note.Callouts}
	r.plain = plainText{note: note, changes: changes(note), open: map[string]int{}}
	r.current.section = -1
	for _, block := range note.Blocks {
		r.block(block)
	}
	r.text.searched = r.plain.searched
	return r.text
}

func (r *reader) block(block md.Block) {
	switch block.Kind {
	case md.HeadingBlock:
		r.heading()
	case md.Paragraph:
		r.begin(paragraph)
		r.paragraph(block)
	case md.List:
		r.begin(listItem)
		r.container(block)
	case md.Quote:
		r.begin(quote)
		r.container(block)
	case md.CalloutBlock:
		r.begin(callout)
		r.container(block)
	case md.Table:
		r.table(block)
	case md.Code, md.FootnoteBlock:
		r.text.total += countWords(string(block.Of(r.note.Source)))
	}
}

// heading reads the next heading, which starts a section.
func (r *reader) heading() {
	section := len(r.text.headings)
	found := r.note.Headings[section]
	r.plain.write(found.Text)
	text, _ := r.plain.take()
	text = strings.ReplaceAll(text, "\n", " ")
	r.text.headings = append(r.text.headings, heading{text, found.Level})
	r.text.total += countWords(text)
	r.current.section = section
}

// table counts the words of a table and keeps the cells of its head row.
func (r *reader) table(block md.Block) {
	src := r.note.Source
	r.text.total += countWords(string(block.Of(src)))
	if len(r.text.tables) == 100 {
		return
	}
	r.plain.write(md.Span{Start: block.Start, End: md.NextLine(src, block.Start)})
	row, _ := r.plain.take()
	cells := strings.FieldsFunc(row, func(c rune) bool { return c == '|' })
	kept := cells[:0]
	for _, cell := range cells {
		if cell = strings.TrimSpace(cell); cell != "" {
			kept = append(kept, cell)
		}
	}
	if len(kept) > 0 {
		r.text.tables = append(r.text.tables, unit{
			text: strings.Join(kept, " | "), kind: outline, section: r.current.section,
		})
	}
}

// begin starts a new unit.
func (r *reader) begin(k kind) {
	r.flush()
	r.current = unit{kind: k, section: r.current.section}
}

// paragraph reads a paragraph at the top level and skips link definitions at its start.
func (r *reader) paragraph(block md.Block) {
	for start := block.Start; start < block.End; {
		end := md.NextLine(r.note.Source, start)
		line := md.Span{Start: start, End: end}
		if len(r.lines) > 0 || !isDefinition(line.Of(r.note.Source)) {
			r.lines = append(r.lines, line)
		}
		start = end
	}
	r.flush()
}

func isDefinition(line []byte) bool {
	line = bytes.TrimSpace(line)
	end := bytes.Index(line, []byte("]:"))
	return end > 1 && line[0] == '[' && bytes.IndexByte(line[:end], ']') < 0 && len(line) > end+2
}

// container reads a list, a quote or a callout line by line. It drops the marks of quotes; each list item is a unit.
func (r *reader) container(block md.Block) {
	src := r.note.Source
	inside := r.current.kind
	number, quotes := block.Line, 0
	for start := block.Start; start < block.End; number++ {
		end := md.NextLine(src, start)
		line := md.Span{Start: start, End: end}
		line.Start += len(line.Of(src)) - len(bytes.TrimLeft(line.Of(src), " \t>"))
		rest := bytes.TrimSpace(line.Of(src))
		deeper := bytes.Count(src[start:line.Start], []byte(">"))
		if deeper > quotes && start > block.Start {
			r.begin(quote)
		}
		quotes = max(quotes, deeper)
		switch {
		case r.startsCallout(number):
		case r.startsItem(start, end):
			quotes = deeper
		case len(rest) == 0:
			r.nextParagraph(inside)
		case rest[0] == '|' && start >= r.plain.skip:
			r.nextParagraph(inside)
			r.text.total += countWords(string(rest))
		case rest[0] == '#' && isHeading(rest):
			r.begin(label)
			line.Start += len(rest) - len(bytes.TrimLeft(rest, "# "))
			r.lines = append(r.lines, line)
			r.nextParagraph(inside)
		default:
			r.lines = append(r.lines, line)
		}
		start = end
	}
	r.flush()
	r.current = unit{section: r.current.section}
}

// nextParagraph starts another unit like the current one: the next paragraph of an item or a quote.
func (r *reader) nextParagraph(inside kind) {
	next := r.current
	r.flush()
	if next.kind == label {
		next.kind = inside
	}
	r.current = unit{kind: next.kind, box: next.box, depth: next.depth, section: next.section, digest: next.digest}
}

func isHeading(line []byte) bool {
	level := len(line) - len(bytes.TrimLeft(line, "#"))
	return level <= 6 && level < len(line) && line[level] == ' '
}

// startsCallout starts a callout if the line with this number is the first line of one.
func (r *reader) startsCallout(number int) bool {
	for len(r.callouts) > 0 && r.callouts[0].Line < number {
		r.callouts = r.callouts[1:]
	}
	if len(r.callouts) == 0 || r.callouts[0].Line != number {
		return false
	}
	head := r.callouts[0]
	digest := sumsUp(string(head.Type.Of(r.note.Source)))
	r.begin(label)
	r.lines = append(r.lines, head.Title)
	r.begin(callout)
	r.current.digest = digest
	return true
}

// startsItem starts the items whose markers are on this line. The innermost gets the text.
func (r *reader) startsItem(start, end int) bool {
	found := false
	for len(r.items) > 0 && r.items[0].Start < end {
		item := r.items[0]
		r.items = r.items[1:]
		if item.Start < start {
			continue
		}
		if found {
			r.lines = r.lines[:0] // the text belongs to the item inside
		}
		found = true
		digest := r.current.digest
		r.begin(listItem)
		r.current.digest = digest
		r.current.depth = r.depth(item)
		if item.IsTask() {
			r.current.box = string(item.Task.Of(r.note.Source))
			r.current.kind = openTask
			if strings.Contains("xX-", r.current.box) {
				r.current.kind = doneTask
			}
		}
		if item.Text < end {
			r.lines = append(r.lines, md.Span{Start: item.Text, End: end})
		}
	}
	return found
}

func (r *reader) depth(item md.Item) int {
	depth := 0
	for ; item.Parent >= 0 && depth < 10; depth++ {
		item = r.note.Items[item.Parent]
	}
	return depth
}

// flush ends the current unit.
func (r *reader) flush() {
	if len(r.lines) == 0 {
		return
	}
	width := r.width()
	for i, line := range r.lines {
		if i > 0 {
			r.plain.out = append(r.plain.out, r.joint(i, width)...)
		}
		text := bytes.TrimRight(line.Of(r.note.Source), " \t\r\n")
		if i+1 < len(r.lines) {
			text = bytes.TrimSuffix(text, []byte("\\")) // a hard line break
		}
		r.plain.write(md.Span{Start: line.Start, End: line.Start + len(text)})
	}
	r.lines = r.lines[:0]
	done := r.current
	done.text, done.linked = r.plain.take()
	done.words = countWords(done.text)
	if done.words == 0 {
		return
	}
	r.text.total += done.words + markWords(&done)
	r.text.units = append(r.text.units, done)
}
