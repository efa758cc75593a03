package md

import (
	"bytes"
	"unicode/utf8"
)

// startItem opens a list item. Only an item that has text and, if numbered, starts with 1 can interrupt a paragraph.
func (s *Scanner) startItem(at *cursor, first, end, indent, matched int, inParagraph bool) bool {
	line := s.src[first:end]
	marker, width := listMarker(line)
	if width == 0 {
		return false
	}
	simple := len(line) > width+1 && line[width] == ' ' && line[width+1] > ' ' && line[width+1] != line[0]
	empty := false
	if !simple {
		s.lookahead += len(line)
		if isRule(line) || inParagraph && line[0] == '-' && isUnderline(line) {
			return false
		}
		empty = isBlank(line[width:])
	}
	if inParagraph && (empty || isDigit(line[0]) && !(width == 2 && line[0] == '1')) {
		return false
	}
	if s.leaf.kind != noLeaf || matched < len(s.open) {
		s.interrupt(matched)
	}
	index := s.addItem(marker)
	at.jump(first, indent)
	at.skip(width)
	behind := 1
	if simple {
		at.skip(1)
	} else {
		if !empty {
			if behind, _ = at.indent(s.src, end); behind > 4 {
				behind = 1
			}
		}
		at.consume(s.src, end, behind)
	}
	s.push(container{
		kind: itemContainer, marker: marker, empty: empty, indent: at.box + indent + width + behind, item: index,
	})
	at.box = 0
	item := &s.note.Items[index]
	item.Text = at.pos
	if at.pos < end && s.src[at.pos] == '[' {
		s.taskMark(item, at, end)
	}
	return true
}

// nextSibling is the fast path for most lines of a list: the next item of a list at the top level, with a bullet, a
// space, perhaps a checkbox, and text that starts no block. The caller has seen that the line starts with the list's
// bullet. It returns false for any other line.
func (s *Scanner) nextSibling(start, end int) bool {
	holder := &s.open[0]
	if end-start < 3 || s.src[start+1] != ' ' || s.leaf.kind > paragraphLeaf || !isBullet(holder.marker) {
		return false
	}
	text := start + 2
	var task TaskMark
	if s.src[text] == '[' && end-text > 4 && s.src[text+2] == ']' && s.src[text+3] == ' ' &&
		s.src[text+1] < utf8.RuneSelf {
		task = TaskMark{Span{text + 1, text + 2}}
		text += 4
	}
	if c := s.src[text]; c <= ' ' || starters[c] != 0 && (c != '#' || text+1 == end || !tagBytes[s.src[text+1]&0x7f]) {
		return false
	}
	if s.leaf.kind == paragraphLeaf {
		s.closeParagraph()
	}
	last := &s.note.Items[holder.item]
	last.End = s.lastEnd
	holder.item = len(s.note.Items)
	holder.empty, holder.indent = false, 2
	s.list = listMemo{}
	s.note.Items = append(s.note.Items, Item{
		Span: Span{Start: start}, Line: s.line, Parent: -1, First: last.First, Text: text, Task: task,
	})
	s.beginText(paragraphLeaf)
	s.addSegment(text, end)
	s.lastEnd, s.lastLine = s.ended, s.line
	return true
}

// addItem records an item and starts a list unless the item joins the last one.
func (s *Scanner) addItem(marker byte) int {
	memo := s.list
	index := len(s.note.Items)
	item := Item{Span: Span{Start: s.started}, Line: s.line, Parent: -1, First: index}
	if memo.valid && memo.depth == len(s.open) && memo.marker == marker {
		item.First = memo.first
		s.list = listMemo{}
		if len(s.open) > 0 {
			s.open[len(s.open)-1].empty = false
		}
	} else {
		s.beginTop(List)
	}
	for i := len(s.open) - 1; i >= 0; i-- {
		if s.open[i].kind == itemContainer {
			item.Parent = s.open[i].item
			break
		}
	}
	s.note.Items = append(s.note.Items, item)
	return index
}

// taskMark skips the checkbox at the start of an item's text: one character in brackets, followed by white space. The
// text behind it can start blocks, as if the checkbox were part of the item's marker.
func (s *Scanner) taskMark(item *Item, at *cursor, end int) {
	_, size := utf8.DecodeRune(s.src[at.pos+1 : end])
	closing := at.pos + 1 + size
	if size == 0 || closing+1 >= end || s.src[closing] != ']' || s.src[closing+1] != ' ' && s.src[closing+1] != '\t' {
		return
	}
	item.Task = TaskMark{Span{at.pos + 1, closing}}
	at.box = 3
	at.skip(closing + 1 - at.pos)
	width, first := at.indent(s.src, end)
	at.box += width
	at.jump(first, width)
	item.Text = first
}

// listMarker returns the kind and width of the marker at the start of an item, or zeros.
func listMarker(line []byte) (marker byte, width int) {
	switch {
	case isBullet(line[0]):
		marker, width = line[0], 1
	case isDigit(line[0]):
		for width < len(line) && width < 10 && isDigit(line[width]) {
			width++
		}
		if width > 9 || width == len(line) || line[width] != '.' && line[width] != ')' {
			return 0, 0
		}
		marker, width = line[width], width+1
	default:
		return 0, 0
	}
	if width < len(line) && line[width] != ' ' && line[width] != '\t' {
		return 0, 0
	}
	return marker, width
}

func isBullet(c byte) bool { return c == '-' || c == '*' || c == '+' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// callout records the first line of a callout and turns its quote into a callout.
func (s *Scanner) callout(at cursor, end int) {
	_, first := at.indent(s.src, end)
	line := s.src[first:end]
	if len(line) < 4 || line[0] != '[' || line[1] != '!' {
		return
	}
	closing := bytes.IndexByte(line, ']')
	if closing < 3 {
		return
	}
	found := Callout{Type: Span{first + 2, first + closing}, Line: s.line}
	if pipe := bytes.IndexByte(line[2:closing], '|'); pipe >= 0 {
		found.Type.End = found.Type.Start + pipe
	}
	rest := closing + 1
	if rest < len(line) && (line[rest] == '+' || line[rest] == '-') {
		found.Fold = line[rest]
		rest++
	}
	found.Title = trim(s.src, Span{first + rest, end})
	s.note.Callouts = append(s.note.Callouts, found)
	if len(s.open) == 1 {
		s.top().Kind = CalloutBlock
	}
}

// footnoteLabel returns the length of the label of a footnote definition.
func footnoteLabel(line []byte) (int, bool) {
	if len(line) < 5 || line[0] != '[' || line[1] != '^' {
		return 0, false
	}
	for i := 2; i < len(line); i++ {
		switch line[i] {
		case ']':
			return i - 2, i > 2 && i+1 < len(line) && line[i+1] == ':'
		case '[', ' ', '\t':
			return 0, false
		}
	}
	return 0, false
}

// trim returns the span without white space at its ends.
func trim(src []byte, span Span) Span {
	for span.Start < span.End && isSpace(src[span.Start]) {
		span.Start++
	}
	for span.Start < span.End && isSpace(src[span.End-1]) {
		span.End--
	}
	return span
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
