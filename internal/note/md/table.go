package md

// mayDelimit holds the bytes that the delimiter row of a table can start with.
var mayDelimit = [256]bool{'|': true, '-': true, ':': true}

// startTable turns the last line of the open paragraph into the head of a table if the current line is a delimiter row
// with as many cells.
func (s *Scanner) startTable(first, end int) bool {
	columns := delimiterCells(s.src[first:end])
	head := s.text[len(s.text)-1]
	s.lookahead += end - first + head.end - head.start
	if columns == 0 || columns != countCells(s.src[head.start:head.end]) {
		return false
	}
	headLine := LineStart(s.src, head.start)
	s.text = s.text[:len(s.text)-1]
	if len(s.text) > 0 {
		end := s.lastEnd
		s.lastEnd = headLine
		s.closeParagraph()
		if len(s.open) == 0 {
			s.top().End = headLine
			s.note.Blocks = append(s.note.Blocks, Block{Span: Span{Start: headLine}, Line: s.line - 1})
		}
		s.lastEnd = end
	}
	s.text = s.text[:0]
	if len(s.open) == 0 {
		s.top().Kind = Table
	}
	s.leaf = leaf{kind: tableLeaf, start: headLine}
	s.tableRow(head.start, head.end)
	return true
}

// tableRow scans each cell of a row separately.
func (s *Scanner) tableRow(first, end int) {
	caret := false
	for start := first; ; {
		stop := cellEnd(s.src, start, end)
		if cell := trim(s.src, Span{start, stop}); cell.Len() > 0 {
			s.addSegment(cell.Start, cell.End)
			s.scanText()
			caret = s.inline.caret
		}
		if stop == end {
			break
		}
		start = stop + 1
	}
	if caret {
		s.tableID(first, end)
	}
}

// cellEnd returns the offset of the next | that no backslash escapes, or end.
func cellEnd(src []byte, at, end int) int {
	for at < end && src[at] != '|' {
		if src[at] == '\\' {
			at++
		}
		at++
	}
	return min(at, end)
}

// countCells counts the cells of a row. A | at either end adds no cell.
func countCells(row []byte) int {
	body := trim(row, Span{0, len(row)})
	start, count := body.Start, 0
	if start < body.End && row[start] == '|' {
		start++
	}
	for start < body.End {
		count++
		start = cellEnd(row, start, body.End) + 1
	}
	return count
}

// delimiterCells counts the cells of a delimiter row. It returns 0 for any other line.
func delimiterCells(row []byte) int {
	count, pipes := 0, 0
	wantCell := true
	for i := 0; i < len(row); {
		switch row[i] {
		case ' ', '\t', '\r':
			i++
		case '|':
			if wantCell && pipes > 0 {
				return 0
			}
			pipes++
			wantCell = true
			i++
		case '-', ':':
			next := dashes(row, i)
			if !wantCell || next == 0 {
				return 0
			}
			count++
			wantCell = false
			i = next
		default:
			return 0
		}
	}
	if pipes == 0 {
		return 0
	}
	return count
}

// dashes returns the offset behind the :---: at i, or 0.
func dashes(row []byte, i int) int {
	if row[i] == ':' {
		i++
	}
	start := i
	for i < len(row) && row[i] == '-' {
		i++
	}
	if i == start {
		return 0
	}
	if i < len(row) && row[i] == ':' {
		i++
	}
	return i
}
