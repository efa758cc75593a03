package md

// maxNesting bounds how deep quotes and list items nest. Deeper ones are text of the innermost container.
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
	indent int  // columns of indentation that a line needs to belong to it
	item   int  // an item's index in the note
}

// listMemo remembers the last closed list item, so that a following item at the same depth and with the same marker
// joins its list.
type listMemo struct {
	valid  bool
	marker byte
	depth  int
	first  int
}

// handle processes one line: it decides which open containers the line continues and which blocks it starts, and takes
// the rest as text.
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
		if first == end { // nothing follows the mark of the container
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

// starter says which blocks can start with a byte.
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

// match returns how many of the open containers the line continues, and moves the cursor behind their marks.
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

// startBlocks opens the blocks that the line starts, containers first. It reports done when no text is left on the line.
// As long as the line has started nothing, the containers that it does not continue stay open, because the line may
// continue a paragraph lazily.
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

// plainBlank is the fast path for most blank lines, which only end a paragraph. It returns false for others.
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

// interrupt closes the leaf and the containers that end where a new block starts.
func (s *Scanner) interrupt(matched int) {
	if s.leaf.kind != noLeaf {
		s.closeLeaf()
	}
	if matched < len(s.open) {
		s.closeContainers(matched)
	}
}

// beginTop starts a top-level block, unless a container encloses the new block. Either way the new block ends a preceding
// list, and the enclosing container is no longer empty.
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

// top returns the current top-level block.
func (s *Scanner) top() *Block { return &s.note.Blocks[len(s.note.Blocks)-1] }

// endTop completes the current top-level block and adds a block for the blank lines between it and the given offset.
func (s *Scanner) endTop(upTo int) {
	if s.inTop {
		s.top().End = s.lastEnd
		s.inTop = false
	}
	// Always append the blank block and drop it again if it is empty: a branch around the append would be hard to
	// predict.
	blocks := append(s.note.Blocks, Block{Span: Span{s.lastEnd, upTo}, Kind: Blank, Line: s.lastLine + 1})
	count := len(blocks)
	if s.lastEnd >= upTo {
		count--
	}
	s.note.Blocks = blocks[:count]
}

func (s *Scanner) push(opened container) { s.open = append(s.open, opened) }

// closeContainers closes all but the outermost keep containers.
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
