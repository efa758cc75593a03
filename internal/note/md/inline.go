package md

import "bytes"

// inlineState is the state of scanning one text. It remembers searches for closing marks that failed, so that any number
// of unclosed openers costs one search.
type inlineState struct {
	segments []segment
	at       int // index of the current segment
	end      int // end of the text

	brackets []bracket
	barrier  int // brackets below this index cannot become links, because they contain one

	escaped   int  // offset after the last escaped character
	comment   int  // offset of the open %%, or -1
	inComment bool // the text is inside a %% block

	caret      bool              // the text contains a ^, which may be a block id
	ticksKnown bool              // lastTicks is complete
	lastTicks  [maxTicks + 1]int // where the last run of each length starts
	noMath     int               // no $ closes math before this offset
	missing    closer            // the marks that no longer occur in the text

	unordered bool // links or footnotes must be sorted at the end
}

// closer is a set of marks that end a region anywhere in the text.
type closer uint8

const (
	closeDisplay closer = 1 << iota
	closeComment
	closeInstruction
	closeDeclaration
	closeCDATA
)

var closers = map[closer]string{
	closeDisplay: "$$", closeComment: "-->", closeInstruction: "?>", closeCDATA: "]]>",
}

// maxTicks is the longest run of backticks that can open a code span.
const maxTicks = 64

// bracket is a [ that may start the text of a link.
type bracket struct {
	pos    int
	image  bool
	inline bool // it starts an inline footnote: ^[
}

// scanInline scans the inline content of a text: the lines of a paragraph, heading, table cell or comment.
func (s *Scanner) scanInline(segments []segment) {
	in := &s.inline
	in.caret = false
	first := next(s.maps.marks, segments[0].start, segments[0].end)
	if first >= segments[0].end && len(segments) == 1 {
		return // most texts contain no mark at all
	}
	in.segments, in.at, in.end = segments, 0, segments[len(segments)-1].end
	in.brackets, in.barrier = in.brackets[:0], 0
	in.escaped, in.comment, in.noMath = -1, -1, 0
	in.ticksKnown, in.missing = false, 0
	for ; in.at < len(in.segments); in.at++ {
		line := &in.segments[in.at]
		pos := first
		if in.at > 0 {
			pos = next(s.maps.marks, line.start, line.end)
		}
		for pos < line.end {
			end := line.end
			switch s.src[pos] {
			case '[':
				pos = s.openBracket(pos, end)
			case ']':
				if len(in.brackets) > 0 {
					pos = s.closeBracket(pos)
				} else {
					pos++
				}
			case '#':
				pos = s.tag(pos, end)
			case '`':
				pos = s.codeSpan(pos)
			case '<':
				pos = s.angle(pos)
			case '\\':
				pos = s.escape(pos, end)
			case '$':
				pos = s.math(pos, end)
			case '%':
				pos = s.percent(pos, end)
			case '^':
				in.caret = true
				pos++
			}
			if pos >= end && in.seek(pos) {
				line = &in.segments[in.at]
			}
			pos = next(s.maps.marks, pos, line.end)
		}
	}
}

// seek moves to the segment that contains a later offset.
func (in *inlineState) seek(pos int) bool {
	moved := false
	for in.at+1 < len(in.segments) && pos >= in.segments[in.at+1].start {
		in.at++
		moved = true
	}
	return moved
}

// escape skips a backslash and the punctuation that it escapes.
func (s *Scanner) escape(pos, end int) int {
	if pos+1 == end || !isPunct(s.src[pos+1]) {
		return pos + 1
	}
	s.inline.escaped = pos + 2
	return pos + 2
}

// isPunct reports whether a backslash can escape the character.
func isPunct(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

// codeSpan pairs a run of backticks with the next run of the same length.
func (s *Scanner) codeSpan(pos int) int {
	in := &s.inline
	width := runLength(s.src[pos:in.end])
	after := pos + width
	if width > maxTicks || in.ticksKnown && in.lastTicks[width] <= pos {
		return after
	}
	for i := after; ; {
		next := bytes.IndexByte(s.src[i:in.end], '`')
		if next < 0 {
			break
		}
		i += next
		run := runLength(s.src[i:in.end])
		if run == width {
			s.lookahead += i - pos
			s.region(CodeSpan, Span{pos, i + run})
			return i + run
		}
		if run <= maxTicks {
			in.lastTicks[run] = i
		}
		i += run
	}
	s.lookahead += in.end - pos
	if !in.ticksKnown {
		s.learnTicks(pos)
	}
	return after
}

// learnTicks records where the last run of each length starts, so that codeSpan recognises a run without a partner at
// once.
func (s *Scanner) learnTicks(pos int) {
	in := &s.inline
	in.ticksKnown = true
	clear(in.lastTicks[:])
	s.lookahead += in.end - pos
	for i := pos; i < in.end; {
		next := bytes.IndexByte(s.src[i:in.end], '`')
		if next < 0 {
			return
		}
		i += next
		run := runLength(s.src[i:in.end])
		if run <= maxTicks {
			in.lastTicks[run] = i
		}
		i += run
	}
}

// angle scans what starts with <: a comment, a tag or an autolink.
func (s *Scanner) angle(pos int) int {
	in := &s.inline
	text := s.src[pos:in.end]
	if len(text) < 3 {
		return pos + 1
	}
	switch c := text[1]; {
	case c == '!':
		return s.markup(pos, text)
	case c == '?':
		return s.until(pos, 2, closeInstruction, HTMLTag)
	case c == '/' || isLetter(c):
		if len(s.open) > 0 { // a quote's mark on the next line must not become part of the tag
			text = s.src[pos:in.segments[in.at].end]
		}
		length, looked := autolinkLength(text)
		s.lookahead += looked
		if length == 0 {
			length, looked = tagLength(text)
			s.lookahead += looked
		}
		if length > 0 {
			s.region(HTMLTag, Span{pos, pos + length})
			return pos + length
		}
	}
	return pos + 1
}

// markup scans what starts with <!.
func (s *Scanner) markup(pos int, text []byte) int {
	switch markupStart(text) {
	case htmlComment:
		// <!--> and <!---> are complete comments.
		if bytes.HasPrefix(text[4:], []byte(">")) || bytes.HasPrefix(text[4:], []byte("->")) {
			end := pos + 4 + bytes.IndexByte(text[4:], '>') + 1
			s.region(HTMLComment, Span{pos, end})
			return end
		}
		return s.until(pos, 4, closeComment, HTMLComment)
	case htmlCDATA:
		return s.until(pos, 9, closeCDATA, HTMLTag)
	case htmlDeclaration:
		return s.declaration(pos)
	}
	return pos + 1
}

// until records a region that ends at the next closing mark, if there is one.
func (s *Scanner) until(pos, opening int, wanted closer, kind RegionKind) int {
	in := &s.inline
	from := pos + opening
	if in.missing&wanted != 0 || from > in.end {
		return pos + opening
	}
	closing := closers[wanted]
	i := bytes.Index(s.src[from:in.end], []byte(closing))
	if i < 0 {
		s.lookahead += in.end - from
		in.missing |= wanted
		return pos + opening
	}
	end := from + i + len(closing)
	s.lookahead += end - from
	s.region(kind, Span{pos, end})
	return end
}

// declaration finds the > that ends <!X …, skipping the marks of quotes.
func (s *Scanner) declaration(pos int) int {
	in := &s.inline
	from := pos + 2
	if in.missing&closeDeclaration != 0 {
		return from
	}
	for _, line := range in.segments[in.at:] {
		if i := bytes.IndexByte(s.src[max(from, line.start):line.end], '>'); i >= 0 {
			end := max(from, line.start) + i + 1
			s.lookahead += end - from
			s.region(HTMLTag, Span{pos, end})
			return end
		}
	}
	s.lookahead += in.end - from
	in.missing |= closeDeclaration
	return from
}

// autolinkLength returns the length of <scheme:…> or <name@host> at the start of text, or 0, and how many bytes it
// examined.
func autolinkLength(text []byte) (length, looked int) {
	scheme := schemeLength(text[1:])
	at := false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '>':
			if scheme > 0 || at {
				return i + 1, i
			}
			return 0, i
		case c == '@':
			at = true
		case c <= ' ' || c == '<':
			return 0, i
		}
	}
	return 0, len(text)
}

// schemeLength returns the length of a URL's scheme with its colon, or 0.
func schemeLength(text []byte) int {
	for i, c := range text {
		switch {
		case c == ':':
			if i < 2 {
				return 0
			}
			return i + 1
		case isLetter(c):
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		default:
			return 0
		}
		if i > 32 {
			return 0
		}
	}
	return 0
}

// math scans $…$ on one line and $$…$$ anywhere in the text.
func (s *Scanner) math(pos, end int) int {
	in := &s.inline
	if pos+1 < end && s.src[pos+1] == '$' {
		return s.until(pos, 2, closeDisplay, MathSpan)
	}
	if pos < in.noMath || pos+1 >= end || isSpace(s.src[pos+1]) {
		return pos + 1
	}
	for i := pos + 2; i < end; i++ {
		switch s.src[i] {
		case '\\':
			i++
		case '$':
			if !isSpace(s.src[i-1]) && (i+1 == end || !isDigit(s.src[i+1])) {
				s.lookahead += i - pos
				s.region(MathSpan, Span{pos, i + 1})
				return i + 1
			}
		}
	}
	s.lookahead += end - pos
	in.noMath = end
	return pos + 1
}

// percent pairs %% with %%. The text between them is scanned like any other.
func (s *Scanner) percent(pos, end int) int {
	in := &s.inline
	width := runLength(s.src[pos:end])
	if width == 2 && !in.inComment {
		if in.comment < 0 {
			in.comment = pos
		} else {
			s.region(CommentSpan, Span{in.comment, pos + 2})
			in.comment = -1
		}
	}
	return pos + width
}

// ScanLinks returns the links in a span of src, such as the value of a property. The result is valid until the scanner is
// used again.
func (s *Scanner) ScanLinks(src []byte, span Span) []Link {
	s.reset(src)
	s.maps.cover(src, span.Start, span.End)
	for at := span.Start; at < span.End; {
		end := min(lineEnd(src, at), span.End)
		s.text = append(s.text, segment{at, end})
		at = end
	}
	if len(s.text) > 0 {
		s.scanInline(s.text)
		s.text = s.text[:0]
	}
	return s.note.Links
}
