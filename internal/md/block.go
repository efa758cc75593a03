package md

import "bytes"

// maxNesting bounds how deep quotes and list items are followed. What is
// nested deeper is text of the innermost one.
const maxNesting = 100

type containerKind uint8

const (
	quoteContainer containerKind = iota
	itemContainer
	footnoteContainer
)

// container is an open quote, list item or footnote definition.
type container struct {
	kind   containerKind
	marker byte // of an item: - * + . or )
	empty  bool // an item without content so far
	indent int  // columns that a line must be indented by to belong to it
	item   int  // an item's index in the note
}

type leafKind uint8

const (
	noLeaf leafKind = iota
	paragraphLeaf
	tableLeaf
	indentedLeaf
	fenceLeaf // from here on: text is not Markdown until the leaf's own end
	htmlLeaf
	mathLeaf
	commentLeaf
)

// leaf is the open block that holds text.
type leaf struct {
	kind  leafKind
	fence byte // ` or ~
	width int  // of the opening fence
	html  htmlKind
	start int // of its first line
	line  int // the number of that
}

// listMemo remembers the list item closed last, so that an item that follows
// at the same depth with the same marker joins its list.
type listMemo struct {
	valid  bool
	marker byte
	depth  int
	first  int
}

// handle works through one line: which open containers it continues, which
// blocks it starts, and what text is left.
func (s *Scanner) handle(start, end int) {
	at := cursor{pos: start}
	matched := 0
	if len(s.open) > 0 {
		if len(s.open) == 1 && s.src[start] == s.open[0].marker && s.nextSibling(start, end) {
			return
		}
		matched = s.match(&at, end)
	}
	if s.leaf.kind >= fenceLeaf {
		if matched == len(s.open) && s.continueLeaf(at, end) {
			s.lastEnd, s.lastLine = s.ended, s.line
			return
		}
		s.closeLeaf()
	}
	indent, first := 0, at.pos
	if first == end || s.src[first] <= ' ' || at.carry > 0 {
		indent, first = at.indent(s.src, end)
		if first == end {
			s.blankLine(matched)
			return
		}
	}
	if kind := starters[s.src[first]]; kind == startsLeaf && indent < 4 {
		if s.startLeaf(first, end, matched, s.leaf.kind == paragraphLeaf && matched == len(s.open)) {
			s.lastEnd, s.lastLine = s.ended, s.line
			return
		}
	} else if kind != 0 && indent < 4 {
		done := false
		if at, matched, done = s.startBlocks(at, first, end, indent, matched); done {
			s.lastEnd, s.lastLine = s.ended, s.line
			return
		}
		indent, first = at.indent(s.src, end)
		if first == end { // a container with nothing behind its mark
			s.lastEnd, s.lastLine = s.ended, s.line
			return
		}
	}
	if s.leaf.kind != paragraphLeaf {
		s.textLine(first, end, indent, matched)
	} else if !mayDelimit[s.src[first]] || matched < len(s.open) || !s.startTable(first, end) {
		s.addSegment(first, end)
	}
	s.lastEnd, s.lastLine = s.ended, s.line
}

// starter says what a block's first byte can begin.
type starter uint8

const (
	startsQuote starter = 1 << iota
	startsItem
	startsFootnote
	startsLeaf
)

var starters = [256]starter{
	'>': startsQuote, '[': startsFootnote,
	'-': startsItem | startsLeaf, '*': startsItem | startsLeaf, '+': startsItem,
	'0': startsItem, '1': startsItem, '2': startsItem, '3': startsItem, '4': startsItem,
	'5': startsItem, '6': startsItem, '7': startsItem, '8': startsItem, '9': startsItem,
	'#': startsLeaf, '`': startsLeaf, '~': startsLeaf, '<': startsLeaf, '=': startsLeaf, '_': startsLeaf,
	'$': startsLeaf, '%': startsLeaf,
}

// match walks the open containers that the line continues.
func (s *Scanner) match(at *cursor, end int) int {
	indent, first := at.indent(s.src, end)
	for i := range s.open {
		holder := &s.open[i]
		switch {
		case holder.kind == quoteContainer:
			if indent > 3 || first == end || s.src[first] != '>' {
				return i
			}
			at.jump(first, indent)
			at.skipQuoteMark(s.src, end)
			indent, first = at.indent(s.src, end)
		case indent >= holder.indent:
			at.consume(s.src, end, holder.indent)
			indent -= holder.indent
		case first != end:
			return i
		}
	}
	return len(s.open)
}

// startBlocks opens what the line starts, containers first. It reports done
// when nothing of the line is left to be text. While the line has started
// nothing, the containers that it does not continue stay open for a paragraph
// that goes on lazily.
func (s *Scanner) startBlocks(at cursor, first, end, indent, matched int) (cursor, int, bool) {
	for indent < 4 && first < end {
		kind := starters[s.src[first]]
		if kind == 0 {
			break
		}
		inParagraph := s.leaf.kind == paragraphLeaf && matched == len(s.open)
		if kind == startsLeaf || !s.startContainer(kind, &at, first, end, indent, matched, inParagraph) {
			return at, matched, kind&startsLeaf != 0 && s.startLeaf(first, end, matched, inParagraph)
		}
		matched = len(s.open)
		indent, first = at.indent(s.src, end)
	}
	return at, matched, false
}

// startContainer opens a quote, a list item or a footnote definition.
func (s *Scanner) startContainer(kind starter, at *cursor, first, end, indent, matched int, inParagraph bool) bool {
	if matched >= maxNesting {
		return false
	}
	switch {
	case kind&startsItem != 0:
		return s.startItem(at, first, end, indent, matched, inParagraph)
	case kind == startsQuote:
		s.interrupt(matched)
		s.beginTop(Quote)
		s.push(container{kind: quoteContainer})
		s.quotes++
		at.jump(first, indent)
		at.skipQuoteMark(s.src, end)
		s.callout(*at, end)
		return true
	}
	label, ok := footnoteLabel(s.src[first:end])
	if !ok {
		return false
	}
	s.interrupt(matched)
	s.beginTop(FootnoteBlock)
	s.push(container{kind: footnoteContainer, indent: 4})
	s.note.Footnotes = append(s.note.Footnotes, Footnote{
		Span: Span{first, first + label + 4}, Label: Span{first + 2, first + 2 + label}, Kind: FootnoteDefinition,
	})
	at.jump(first, indent)
	at.skip(label + 4)
	return true
}

// startLeaf opens or completes a block that holds no other blocks.
func (s *Scanner) startLeaf(first, end, matched int, inParagraph bool) bool {
	line := s.src[first:end]
	if line[0] == '#' { // asked for first: most are headings
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
			s.leaf.kind = noLeaf // there were definitions alone: no text to underline
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

// skipCode goes to the end of the fenced code whose first line is at hand and
// which nothing encloses.
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

// isOpen reports whether the paragraph so far has opened a $$ or a %% inside
// of a line: the next one then closes it and starts no block. Each line is
// looked at once.
func (s *Scanner) isOpen(mark byte) bool {
	for ; s.paired.lines < len(s.text); s.paired.lines++ {
		line := s.text[s.paired.lines]
		rest := s.src[line.start:line.end]
		for i := 0; i+1 < len(rest); i++ {
			if rest[i] != '$' && rest[i] != '%' || rest[i+1] != rest[i] {
				continue
			}
			if rest[i] == '$' {
				s.paired.math = !s.paired.math
			} else {
				s.paired.comment = !s.paired.comment
			}
			i++
		}
	}
	if mark == '$' {
		return s.paired.math
	}
	return s.paired.comment
}

// pairing is how many lines of a paragraph isOpen has seen, and what is open
// after them.
type pairing struct {
	lines         int
	math, comment bool
}

// textLine is a line, or the rest of one, that starts no block and goes on
// with no paragraph.
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

// continueLeaf takes a line that may only end the open leaf. It reports false
// when the line is not the leaf's any more.
func (s *Scanner) continueLeaf(at cursor, end int) bool {
	indent, first := at.indent(s.src, end)
	line := s.src[first:end]
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

// plainBlank takes an empty line that can only end a paragraph: the short way
// for most blank lines.
func (s *Scanner) plainBlank() bool {
	if s.leaf.kind >= indentedLeaf || s.quotes > 0 {
		return false
	}
	if last := len(s.open) - 1; last >= 0 && s.open[last].empty {
		return false
	}
	if s.leaf.kind != noLeaf {
		s.closeLeaf()
	}
	return true
}

func (s *Scanner) blankLine(matched int) {
	if s.leaf.kind != indentedLeaf {
		s.closeLeaf()
	}
	if matched < len(s.open) {
		s.closeLeaf()
		s.closeContainers(matched)
	}
	if last := len(s.open) - 1; last >= 0 && s.open[last].empty {
		s.closeContainers(last)
	}
}

// interrupt closes what a new block after the matched containers ends.
func (s *Scanner) interrupt(matched int) {
	if s.leaf.kind != noLeaf {
		s.closeLeaf()
	}
	if matched < len(s.open) {
		s.closeContainers(matched)
	}
}

// beginLeaf opens a leaf after the matched containers.
func (s *Scanner) beginLeaf(matched int, kind BlockKind, opened leaf) {
	if s.leaf.kind != noLeaf || matched < len(s.open) {
		s.interrupt(matched)
	}
	s.beginTop(kind)
	s.leaf.fence, s.leaf.width, s.leaf.html = opened.fence, opened.width, opened.html
	s.beginText(opened.kind)
}

// beginText opens a leaf at the line at hand.
func (s *Scanner) beginText(kind leafKind) {
	s.leaf.kind, s.leaf.start, s.leaf.line = kind, s.started, s.line
	s.paired = pairing{}
}

// beginTop starts a top-level block, unless something encloses the new block.
// In any case it is content for what encloses it, and ends a list before it.
func (s *Scanner) beginTop(kind BlockKind) {
	s.list = listMemo{}
	if last := len(s.open) - 1; last >= 0 {
		s.open[last].empty = false
		return
	}
	s.endTop(s.started)
	s.note.Blocks = append(s.note.Blocks, Block{Span: Span{Start: s.started}, Kind: kind, Line: s.line})
	s.inTop = true
}

// top is the top-level block under construction.
func (s *Scanner) top() *Block { return &s.note.Blocks[len(s.note.Blocks)-1] }

// endTop completes the top-level block, and the blank lines after it up to
// the given offset.
func (s *Scanner) endTop(upTo int) {
	if s.inTop {
		s.top().End = s.lastEnd
		s.inTop = false
	}
	// Written in any case, and counted if there are any: there mostly are, but
	// not predictably so.
	blocks := append(s.note.Blocks, Block{Span: Span{s.lastEnd, upTo}, Kind: Blank, Line: s.lastLine + 1})
	count := len(blocks)
	if s.lastEnd >= upTo {
		count--
	}
	s.note.Blocks = blocks[:count]
}

func (s *Scanner) push(opened container) { s.open = append(s.open, opened) }

// closeContainers leaves only the given number of containers open.
func (s *Scanner) closeContainers(keep int) {
	for i := len(s.open) - 1; i >= keep; i-- {
		switch closed := &s.open[i]; closed.kind {
		case itemContainer:
			item := &s.note.Items[closed.item]
			item.End = s.lastEnd
			s.list = listMemo{valid: true, marker: closed.marker, depth: i, first: item.First}
		case quoteContainer:
			s.quotes--
		}
	}
	s.open = s.open[:keep]
}

// endLeaf closes the leaf whose last line is the one at hand.
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

// scanText looks for links and tags in the collected text and drops it.
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

// cursor is a place in a line, with its column: tabs reach to the next
// multiple of four, and may be used up in part.
type cursor struct {
	pos, col int
	carry    int // columns left of a tab before pos
	box      int // columns of a task's box just skipped, which do not count as indentation
}

// indent is the width of the white space at the cursor, and where it ends.
func (c *cursor) indent(src []byte, end int) (width, first int) {
	width, first = c.carry, c.pos
	for col := c.col; first < end; first++ {
		step := 1
		if src[first] == '\t' {
			step = 4 - col%4
		} else if src[first] != ' ' {
			break
		}
		col += step
		width += step
	}
	return width, first
}

// consume moves over columns of white space.
func (c *cursor) consume(src []byte, end, columns int) {
	for columns > 0 {
		if c.carry > 0 {
			used := min(columns, c.carry)
			c.carry -= used
			columns -= used
			continue
		}
		if c.pos == end {
			return
		}
		switch src[c.pos] {
		case ' ':
			c.col++
			columns--
		case '\t':
			step := 4 - c.col%4
			c.col += step
			if step > columns {
				c.carry = step - columns
			}
			columns -= min(columns, step)
		default:
			return
		}
		c.pos++
	}
}

// skip moves over bytes that are one column wide.
func (c *cursor) skip(bytes int) {
	c.pos += bytes
	c.col += bytes
}

// jump moves to the text behind white space of the given width.
func (c *cursor) jump(first, width int) {
	c.col += width - c.carry
	c.pos, c.carry = first, 0
}

// skipQuoteMark moves over a > and the space that may follow it.
func (c *cursor) skipQuoteMark(src []byte, end int) {
	c.skip(1)
	c.consume(src, end, 1)
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

// fenceWidth is the number of marks of an opening fence, or 0.
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

// runLength is how often the first byte is repeated.
func runLength(line []byte) int {
	n := 1
	for n < len(line) && line[n] == line[0] {
		n++
	}
	return n
}

// indexMark finds a two-byte mark that no backslash escapes.
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

// isComment reports exactly two percent signs at the start.
func isComment(line []byte) bool {
	return len(line) >= 2 && line[1] == '%' && (len(line) == 2 || line[2] != '%')
}

// indexComment finds exactly two percent signs.
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
