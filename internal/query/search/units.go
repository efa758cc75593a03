package search

import (
	"bytes"
	"sort"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/text/order"
)

// structure says where the units of a text are, each kind in document order.
type structure struct {
	blocks   []md.Span
	sections []md.Span
	tasks    []task
	tags     []md.Span // with the #
}

type task struct {
	span md.Span
	open bool
}

// eachUnit calls visit with the units of a kind that lie in a text, clipped to it, until visit returns false.
func (m *matcher) eachUnit(op Op, in where, visit func(where) bool) {
	if m.nested == len(m.units) {
		m.units = append(m.units, new(haystack))
	}
	unit := m.units[m.nested]
	m.nested++
	defer func() { m.nested-- }()
	call := func(span md.Span) bool {
		start, end := max(span.Start, in.text.start), min(span.End, in.text.end)
		unit.set(m.body.text[start:end], start)
		return visit(where{text: unit, unit: true})
	}
	if op == InTask || op == InTodoTask || op == InDoneTask {
		tasks := m.structured().tasks
		for _, t := range tasks[sort.Search(len(tasks), func(i int) bool { return tasks[i].span.End > in.text.start }):] {
			if t.span.Start >= in.text.end || (op == InTask || t.open == (op == InTodoTask)) && !call(t.span) {
				return
			}
		}
		return
	}
	spans := m.spansOf(op)
	for _, span := range spans[sort.Search(len(spans), func(i int) bool { return spans[i].End > in.text.start }):] {
		if span.Start >= in.text.end || !call(span) {
			return
		}
	}
}

func (m *matcher) spansOf(op Op) []md.Span {
	switch op {
	case InLine:
		return m.allLines()
	case InBlock:
		return m.structured().blocks
	}
	return m.structured().sections
}

// allLines returns the lines without their line ends.
func (m *matcher) allLines() []md.Span {
	if m.ready.lines {
		return m.lines
	}
	m.ready.lines, m.lines = true, m.lines[:0]
	text := m.body.text
	for start := 0; start < len(text); {
		end, next := len(text), len(text)
		if at := bytes.IndexByte(text[start:], '\n'); at >= 0 {
			end, next = start+at, start+at+1
		}
		if end > start && text[end-1] == '\r' {
			end--
		}
		m.lines = append(m.lines, md.Span{Start: start, End: end})
		start = next
	}
	return m.lines
}

// scanned returns the scan of a note.
func (m *matcher) scanned() *md.Note {
	if !m.ready.note {
		m.ready.note, m.note = true, m.scanner.Scan(m.body.text)
	}
	return m.note
}

// structured finds the units. Each card of a canvas is a text by itself.
func (m *matcher) structured() *structure {
	s := &m.structure
	if m.ready.structure {
		return s
	}
	m.ready.structure = true
	s.blocks, s.sections, s.tasks, s.tags = s.blocks[:0], s.sections[:0], s.tasks[:0], s.tags[:0]
	if !m.file.Canvas {
		s.add(m.scanned(), 0)
		return s
	}
	for _, card := range m.cards {
		s.add(md.ScanText(card.Of(m.body.text)), card.Start)
	}
	return s
}

// add adds the units of a text that starts at an offset.
func (s *structure) add(note *md.Note, offset int) {
	moved := func(start, end int) md.Span { return md.Span{Start: start + offset, End: end + offset} }
	s.addBlocks(note, moved)
	start := 0
	for _, heading := range note.Headings {
		if heading.Start > start {
			s.sections = append(s.sections, moved(start, heading.Start))
		}
		start = heading.Start
	}
	if start < len(note.Source) {
		s.sections = append(s.sections, moved(start, len(note.Source)))
	}
	for i, item := range note.Items {
		if item.IsTask() {
			span := moved(item.Start, itemEnd(note, i, item.End))
			s.tasks = append(s.tasks, task{span, string(item.Task.Of(note.Source)) == " "})
		}
	}
	for _, tag := range note.Tags {
		s.tags = append(s.tags, moved(tag.Start, tag.End))
	}
	order.By(s.tags, func(a, b md.Span) int { return a.Start - b.Start })
}

// addBlocks adds the blocks at the top level and, of a list, each item.
func (s *structure) addBlocks(note *md.Note, moved func(start, end int) md.Span) {
	item := 0
	for _, block := range note.Blocks {
		for item < len(note.Items) && note.Items[item].Start < block.Start {
			item++
		}
		switch block.Kind {
		case md.Blank, md.ByteOrderMark:
		case md.List:
			start := block.Start
			for ; item < len(note.Items) && note.Items[item].Start < block.End; item++ {
				if end := itemEnd(note, item, block.End); end > start {
					s.blocks = append(s.blocks, moved(start, end))
					start = end
				}
			}
		default:
			s.blocks = append(s.blocks, moved(block.Start, block.End))
		}
	}
}

// itemEnd returns where an item ends without its children, which are items of their own.
func itemEnd(note *md.Note, item, end int) int {
	if item+1 < len(note.Items) {
		return min(end, max(note.Items[item+1].Start, note.Items[item].Start))
	}
	return end
}
