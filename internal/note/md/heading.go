package md

// heading records a heading that starts with #.
func (s *Scanner) heading(level int, text Span) {
	s.beginTop(HeadingBlock)
	if len(s.open) == 0 {
		s.note.Headings = append(s.note.Headings, Heading{
			Span: Span{s.started, s.ended}, Text: text, Level: level, Line: s.line,
		})
	}
	s.addSegment(text.Start, text.End)
	s.scanInline(s.text)
	s.headingID(Span{s.started, s.ended}, s.line)
	s.text = s.text[:0]
}

// setext turns the open paragraph into a heading. The current line is its underline.
func (s *Scanner) setext(mark byte) {
	level := 1
	if mark == '-' {
		level = 2
	}
	first, last := s.text[0], s.text[len(s.text)-1]
	if len(s.open) == 0 {
		s.top().Kind = HeadingBlock
		found := Heading{
			Span: Span{s.leaf.start, s.ended}, Text: trim(s.src, Span{first.start, last.end}),
			Level: level, Line: s.leaf.line,
		}
		s.note.Headings = append(s.note.Headings, found)
	}
	s.leaf.kind = noLeaf
	s.scanInline(s.text)
	s.headingID(Span{s.leaf.start, s.ended}, s.leaf.line)
	s.text = s.text[:0]
}

// atxHeading returns the level of a heading that starts with # and the span of its text, or zeros.
func atxHeading(line []byte) (level int, text Span) {
	level = runLength(line)
	if level > 6 || level < len(line) && line[level] != ' ' && line[level] != '\t' {
		return 0, Span{}
	}
	text = trim(line, Span{level, len(line)})
	closing := text.End
	for closing > text.Start && line[closing-1] == '#' {
		closing--
	}
	if closing == text.Start || line[closing-1] == ' ' || line[closing-1] == '\t' {
		text = trim(line, Span{text.Start, closing})
	}
	return level, text
}

// isUnderline reports whether a line that starts with = or - is the underline of a heading.
func isUnderline(line []byte) bool {
	return isBlank(line[runLength(line):])
}
