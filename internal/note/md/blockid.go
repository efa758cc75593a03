package md

// unsettledID is an id whose block was still open when the scanner met the id.
type unsettledID struct {
	id   int // index in the note
	item int // index of the item that it belongs to, or -1 for the top-level block
	top  int // index of the top-level block
}

// paragraphID records an id at the end of the open paragraph. An id that is a paragraph of its own belongs to the block
// above.
func (s *Scanner) paragraphID() {
	last := s.text[len(s.text)-1]
	name, alone := idAtEnd(s.src, last.start, last.end)
	if name.Len() == 0 {
		return
	}
	if alone && len(s.text) == 1 {
		s.idOfBlockAbove(name)
		return
	}
	found := BlockID{Name: name, Target: IDParagraph, Block: Span{s.leaf.start, s.lastEnd}, Line: s.leaf.line}
	s.addID(found)
}

// addID records the id of a paragraph. Inside a list item it belongs to the item, inside a quote to the quote.
func (s *Scanner) addID(found BlockID) {
	index := len(s.note.IDs)
	if last := len(s.open) - 1; last >= 0 {
		switch {
		case s.open[last].kind == itemContainer:
			found.Target = IDListItem
			s.later = append(s.later, unsettledID{id: index, item: s.open[last].item})
		case s.onlyQuotes():
			found.Target = IDQuote
			s.later = append(s.later, unsettledID{id: index, item: -1, top: len(s.note.Blocks) - 1})
		}
	}
	s.note.IDs = append(s.note.IDs, found)
}

func (s *Scanner) onlyQuotes() bool {
	for _, holder := range s.open {
		if holder.kind != quoteContainer {
			return false
		}
	}
	return true
}

func (s *Scanner) idOfBlockAbove(name Span) {
	if len(s.open) > 0 {
		s.addID(BlockID{Name: name, Block: Span{s.leaf.start, s.lastEnd}, Line: s.leaf.line})
		return
	}
	blocks := s.note.Blocks
	for i := len(blocks) - 2; i >= 0; i-- { // the last block is the id's own paragraph
		above := blocks[i]
		switch above.Kind {
		case Blank:
			continue
		case ByteOrderMark, YAML:
			return
		}
		s.note.IDs = append(s.note.IDs, BlockID{
			Name: name, Target: idTargets[above.Kind], Block: above.Span, Line: above.Line,
		})
		return
	}
}

var idTargets = [...]IDTarget{
	HeadingBlock: IDHeading, Paragraph: IDParagraph, List: IDList, Quote: IDQuote, CalloutBlock: IDQuote, Table: IDTable,
	Code: IDOther, HTML: IDOther, Comment: IDOther, Math: IDOther, Rule: IDOther, FootnoteBlock: IDOther,
}

// headingID records an id at the end of a heading.
func (s *Scanner) headingID(block Span, line int) {
	if !s.inline.caret {
		return
	}
	last := s.text[len(s.text)-1]
	if name, alone := idAtEnd(s.src, last.start, last.end); name.Len() > 0 && !alone {
		s.note.IDs = append(s.note.IDs, BlockID{Name: name, Target: IDHeading, Block: block, Line: line})
	}
}

// tableID records an id at the end of a table's row.
func (s *Scanner) tableID(first, end int) {
	name, _ := idAtEnd(s.src, first, end)
	if name.Len() == 0 {
		return
	}
	index := len(s.note.IDs)
	s.note.IDs = append(s.note.IDs, BlockID{Name: name, Target: IDTable, Block: Span{s.leaf.start, end}, Line: s.line})
	if len(s.open) == 0 {
		s.later = append(s.later, unsettledID{id: index, item: -1, top: len(s.note.Blocks) - 1})
	}
}

// settleIDs sets the spans of the ids' blocks, now that all blocks are closed.
func (s *Scanner) settleIDs() {
	for _, open := range s.later {
		id := &s.note.IDs[open.id]
		if open.item >= 0 {
			item := s.note.Items[open.item]
			id.Block, id.Line = item.Span, item.Line
		} else {
			top := s.note.Blocks[open.top]
			id.Block, id.Line = top.Span, top.Line
		}
	}
}

// idAtEnd returns the name of the ^id at the end of a line, after white space or alone on the line.
func idAtEnd(src []byte, start, end int) (name Span, alone bool) {
	for end > start && isSpace(src[end-1]) {
		end--
	}
	at := end
	for at > start && (isLetter(src[at-1]) || isDigit(src[at-1]) || src[at-1] == '-') {
		at--
	}
	if at == end || at == start || src[at-1] != '^' {
		return Span{}, false
	}
	alone = at-1 == start
	if !alone && !isSpace(src[at-2]) {
		return Span{}, false
	}
	return Span{at, end}, alone
}
