package search

import (
	"bytes"
	"slices"
	"sort"

	"obsidian-mcp/internal/note/md"
)

// structure is where the units of a text are, each kind in document order.
type structure struct {
	blocks   []md.Span
	sections []md.Span
	tasks    []task
	tags     []md.Span // with the #
}

type task struct {
	md.Span
	open bool
}

// eachUnit calls visit with the units of a kind that lie in a place, cut to
// it, until it reports false.
func (m *matcher) eachUnit(op Op, in where, visit func(where) bool) {
	if m.nested == len(m.units) {
		m.units = append(m.units, new(place))
	}
	unit := m.units[m.nested]
	m.nested++
	defer func() { m.nested-- }()
	call := func(span md.Span) bool {
		start, end := max(span.Start, in.place.start), min(span.End, in.place.end)
		unit.set(m.body.text[start:end], start)
		return visit(where{place: unit, unit: true})
	}
	if op == InTask || op == InTodoTask || op == InDoneTask {
		tasks := m.structured().tasks
		for _, one := range tasks[sort.Search(len(tasks), func(i int) bool { return tasks[i].End > in.place.start }):] {
			if one.Start >= in.place.end || (op == InTask || one.open == (op == InTodoTask)) && !call(one.Span) {
				return
			}
		}
		return
	}
	spans := m.spansOf(op)
	for _, one := range spans[sort.Search(len(spans), func(i int) bool { return spans[i].End > in.place.start }):] {
		if one.Start >= in.place.end || !call(one) {
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

// allLines are the lines without their ends.
func (m *matcher) allLines() []md.Span {
	if m.known.lines {
		return m.lines
	}
	m.known.lines, m.lines = true, m.lines[:0]
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

// scanned is the scan of a note.
func (m *matcher) scanned() *md.Note {
	if !m.known.note {
		m.known.note, m.note = true, m.scanner.Scan(m.body.text)
	}
	return m.note
}

// structured finds the units; the cards of a canvas are texts by themselves.
func (m *matcher) structured() *structure {
	s := &m.structure
	if m.known.structure {
		return s
	}
	m.known.structure = true
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

// add takes up the units of a text that starts at an offset.
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
			s.tasks = append(s.tasks, task{moved(item.Start, itemEnd(note, i, item.End)), string(item.Task.Of(note.Source)) == " "})
		}
	}
	for _, tag := range note.Tags {
		s.tags = append(s.tags, moved(tag.Start, tag.End))
	}
	slices.SortFunc(s.tags, func(a, b md.Span) int { return a.Start - b.Start })
}

// addBlocks takes up the blocks at the top level, and of a list each item.
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

// itemEnd is where an item ends by itself: its children are items of their own.
func itemEnd(note *md.Note, item, end int) int {
	if item+1 < len(note.Items) {
		return min(end, max(note.Items[item+1].Start, note.Items[item].Start))
	}
	return end
}
