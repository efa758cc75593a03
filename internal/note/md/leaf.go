package md

import "bytes"

type leafKind uint8

const (
	noLeaf leafKind = iota
	paragraphLeaf
	tableLeaf
	indentedLeaf
	fenceLeaf // this and the following kinds contain no Markdown until their own end
	htmlLeaf
	mathLeaf
	commentLeaf
)

// leaf is the open block that contains text.
type leaf struct {
	kind  leafKind
	fence byte // ` or ~
	width int  // of the opening fence
	html  htmlKind
	start int // of its first line
	line  int // number of its first line
}

// startLeaf opens or completes a block that contains no other blocks.
func (s *Scanner) startLeaf(first, end, matched int, inParagraph bool) bool {
	line := s.src[first:end]
	s.lookahead += len(line)
	if line[0] == '#' { // tested first, because most leaves are headings
		level, text := atxHeading(line)
		if level == 0 {
			return false
		}
		if s.leaf.kind != noLeaf || matched < len(s.open) {
			s.interrupt(matched)
		}
		s.heading(level, Span{first + text.Start, first + text.End})
		return true
	}
	switch line[0] {
	case '`', '~':
		width := fenceWidth(line)
		if width == 0 {
			return false
		}
		s.beginLeaf(matched, Code, leaf{kind: fenceLeaf, fence: line[0], width: width})
		if len(s.open) == 0 {
			s.skipCode()
		}
		return true
	case '<':
		kind := htmlStart(line, s.leaf.kind == paragraphLeaf)
		if kind == 0 {
			return false
		}
		s.beginLeaf(matched, HTML, leaf{kind: htmlLeaf, html: kind})
		if htmlEnds(kind, line) {
			s.endLeaf()
		}
		return true
	case '=', '-':
		if inParagraph && isUnderline(line) {
			if s.src[s.text[0].start] == '[' {
				s.definitions()
			}
			if len(s.text) > 0 {
				s.setext(line[0])
				return true
			}
			s.leaf.kind = noLeaf // the paragraph has only definitions, no text to underline
		}
	case '$':
		if len(line) >= 2 && line[1] == '$' && indexMark(line[2:], "$$") < 0 && !(inParagraph && s.isOpen('$')) {
			s.beginLeaf(matched, Math, leaf{kind: mathLeaf})
			return true
		}
		return false
	case '%':
		if isComment(line) && indexComment(line[2:]) < 0 && !(inParagraph && s.isOpen('%')) {
			s.beginLeaf(matched, Comment, leaf{kind: commentLeaf})
			s.addSegment(first, end)
			return true
		}
		return false
	}
	if isRule(line) {
		s.interrupt(matched)
		s.beginTop(Rule)
		return true
	}
	return false
}

// skipCode moves to the end of the fenced code block that starts on the current line. No container encloses it.
func (s *Scanner) skipCode() {
	src, fence := s.src, s.leaf.fence
	start := s.ended
	for start < len(src) {
		end := next(s.maps.ends, start, len(src))
		s.line++
		if c := src[start]; (c == fence || c == ' ') && s.endsCode(start, end) {
			s.ended = min(end+1, len(src))
			s.endLeaf()
			return
		}
		start = end + 1
	}
	s.ended = len(src)
}

// endsCode reports whether a line closes the open fence.
func (s *Scanner) endsCode(start, end int) bool {
	first := start
	for first < end && s.src[first] == ' ' {
		first++
	}
	return first-start < 4 && closesFence(s.src[first:end], s.leaf.fence, s.leaf.width)
}

// isOpen reports whether the paragraph so far has an open $$ or %% inside a line. The next one then closes it instead of
// starting a block. Each line is read once.
func (s *Scanner) isOpen(mark byte) bool {
	for ; s.paired.lines < len(s.text); s.paired.lines++ {
		line := s.text[s.paired.lines]
		s.lookahead += s.paired.read(s.src[line.start:line.end])
	}
	if mark == '$' {
		return s.paired.math
	}
	return s.paired.comment
}

// pairing records which marks are open in a paragraph.
type pairing struct {
	lines         int // how many lines of the paragraph have been read
	math, comment bool
}

// read adds a line. Marks in code, in links, in HTML tags and behind a backslash do not count. After a search for a
// closing mark has failed, it is not repeated. It returns how many bytes the searches examined.
func (p *pairing) read(line []byte) (looked int) {
	missing := map[string]bool{}
	// behind returns the offset after the closing mark, or 1 if there is none.
	behind := func(closing string) int {
		if !missing[closing] {
			if i := bytes.Index(line, []byte(closing)); i >= 0 {
				looked += i
				return i + len(closing)
			}
			looked += len(line)
			missing[closing] = true
		}
		return 1
	}
	var missingTicks [maxTicks + 1]bool
	for len(line) > 0 {
		skip := 1
		switch c := line[0]; {
		case c == '$':
			if skip = runLength(line); skip >= 2 {
				p.math, skip = !p.math, 2
			}
		case p.math:
		case c == '%':
			if skip = runLength(line); skip == 2 {
				p.comment = !p.comment
			}
		case c == '\\':
			skip = 2
		case c == '`':
			if skip = runLength(line); skip <= maxTicks && !missingTicks[skip] {
				width := skip
				if skip = codeLength(line, width); skip == width {
					missingTicks[width] = true
					looked += len(line)
				}
				looked += skip
			}
		case c == '<':
			length, examined := tagLength(line)
			skip = max(length, 1)
			looked += examined
		case bytes.HasPrefix(line, []byte("[[")):
			skip = behind("]]")
		case bytes.HasPrefix(line, []byte("](")):
			skip = behind(")")
		}
		line = line[min(skip, len(line)):]
	}
	return looked
}

// codeLength returns the length of the code span at the start of a line, which opens with width backticks. If nothing
// closes it, the length is that of the backticks.
func codeLength(line []byte, width int) int {
	for at := width; at < len(line); {
		if line[at] != '`' {
			at++
			continue
		}
		run := runLength(line[at:])
		if at += run; run == width {
			return at
		}
	}
	return width
}

// textLine handles text that starts no other block and continues no paragraph.
func (s *Scanner) textLine(first, end, indent, matched int) {
	if matched < len(s.open) {
		s.interrupt(matched)
	}
	switch {
	case s.leaf.kind == tableLeaf:
		s.tableRow(first, end)
	case indent < 4:
		if s.leaf.kind != noLeaf {
			s.closeLeaf()
		}
		s.beginTop(Paragraph)
		s.beginText(paragraphLeaf)
		s.addSegment(first, end)
	case s.leaf.kind != indentedLeaf:
		s.beginLeaf(matched, Code, leaf{kind: indentedLeaf})
	}
}

// continueLeaf handles a line inside a leaf that contains no Markdown. It returns false if the line does not belong to
// the leaf.
func (s *Scanner) continueLeaf(at cursor, end int) bool {
	indent, first := at.indent(s.src, end)
	line := s.src[first:end]
	s.lookahead += len(line)
	switch s.leaf.kind {
	case fenceLeaf:
		if indent < 4 && closesFence(line, s.leaf.fence, s.leaf.width) {
			s.endLeaf()
		}
	case htmlLeaf:
		if s.leaf.html.endsAtBlank() {
			return len(line) > 0
		}
		if htmlEnds(s.leaf.html, line) {
			s.endLeaf()
		}
	case mathLeaf:
		if indexMark(line, "$$") >= 0 {
			s.endLeaf()
		}
	case commentLeaf:
		s.addSegment(first, end)
		if indexComment(line) >= 0 {
			s.endLeaf()
		}
	}
	return true
}

// beginLeaf opens a leaf inside the matched containers.
func (s *Scanner) beginLeaf(matched int, kind BlockKind, opened leaf) {
	if s.leaf.kind != noLeaf || matched < len(s.open) {
		s.interrupt(matched)
	}
	s.beginTop(kind)
	s.leaf.fence, s.leaf.width, s.leaf.html = opened.fence, opened.width, opened.html
	s.beginText(opened.kind)
}

// beginText opens a leaf at the current line.
func (s *Scanner) beginText(kind leafKind) {
	s.leaf.kind, s.leaf.start, s.leaf.line = kind, s.started, s.line
	s.paired = pairing{}
}

// endLeaf closes the leaf after the current line.
func (s *Scanner) endLeaf() {
	s.lastEnd, s.lastLine = s.ended, s.line
	s.closeLeaf()
}

func (s *Scanner) closeLeaf() {
	closed := s.leaf.kind
	s.leaf.kind = noLeaf
	if closed == paragraphLeaf {
		s.closeParagraph()
		return
	}
	span := Span{s.leaf.start, s.lastEnd}
	switch closed {
	case indentedLeaf, fenceLeaf:
		s.region(CodeBlock, span)
	case htmlLeaf:
		s.region(HTMLBlock, span)
	case mathLeaf:
		s.region(MathBlock, span)
	case commentLeaf:
		s.inline.inComment = true
		s.scanText()
		s.inline.inComment = false
		s.region(CommentBlock, span)
	}
}

func (s *Scanner) region(kind RegionKind, span Span) {
	s.note.Regions = append(s.note.Regions, Region{Span: span, Kind: kind})
}

func (s *Scanner) addSegment(start, end int) {
	s.text = append(s.text, segment{start, end})
}

// scanText scans the collected lines for links, tags and the like and drops them.
func (s *Scanner) scanText() {
	s.scanInline(s.text)
	s.text = s.text[:0]
}

func (s *Scanner) closeParagraph() {
	if s.src[s.text[0].start] == '[' {
		s.definitions()
		if len(s.text) == 0 {
			return
		}
	}
	s.scanInline(s.text)
	if s.inline.caret {
		s.paragraphID()
	}
	s.text = s.text[:0]
}

func isRule(line []byte) bool {
	mark := line[0]
	if mark != '-' && mark != '_' && mark != '*' {
		return false
	}
	count := 0
	for _, c := range line {
		switch c {
		case mark:
			count++
		case ' ', '\t', '\r':
		default:
			return false
		}
	}
	return count >= 3
}

// fenceWidth returns the number of marks of an opening fence, or 0.
func fenceWidth(line []byte) int {
	width := runLength(line)
	if width < 3 || line[0] == '`' && bytes.IndexByte(line[width:], '`') >= 0 {
		return 0
	}
	return width
}

func closesFence(line []byte, mark byte, width int) bool {
	if len(line) == 0 || line[0] != mark {
		return false
	}
	found := runLength(line)
	return found >= width && isBlank(line[found:])
}

// runLength returns how many times the first byte occurs in a row.
func runLength(line []byte) int {
	n := 1
	for n < len(line) && line[n] == line[0] {
		n++
	}
	return n
}

// indexMark returns the offset of a two-byte mark that no backslash escapes, or -1.
func indexMark(line []byte, mark string) int {
	for from := 0; ; {
		i := bytes.Index(line[from:], []byte(mark))
		if i < 0 {
			return -1
		}
		i += from
		if i == 0 || line[i-1] != '\\' {
			return i
		}
		from = i + 1
	}
}

// isComment reports whether a line starts with exactly two percent signs.
func isComment(line []byte) bool {
	return len(line) >= 2 && line[1] == '%' && (len(line) == 2 || line[2] != '%')
}

// indexComment returns the offset of exactly two percent signs, or -1.
func indexComment(line []byte) int {
	for i := 0; i < len(line); {
		if line[i] != '%' {
			skip := bytes.IndexByte(line[i:], '%')
			if skip < 0 {
				return -1
			}
			i += skip
		}
		run := runLength(line[i:])
		if run == 2 {
			return i
		}
		i += run
	}
	return -1
}
