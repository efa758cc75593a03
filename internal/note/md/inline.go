package md

import "bytes"

// inlineState is what the scan of one text remembers. Each "no more" offset
// says that a search failed from there on, so that hopeless openers, however
// many, cost one search together.
type inlineState struct {
	segments []segment
	at       int // index of the segment at hand
	end      int // of the whole text

	brackets []bracket
	barrier  int // brackets below this index cannot become links any more

	escaped   int  // offset after the last escaped character
	comment   int  // offset of an open %%, or -1
	inComment bool // the text is that of a %% block

	caret      bool // a ^ was met: perhaps a block id
	ticksKnown bool
	lastTicks  [maxTicks + 1]int // where the last run of each length starts
	noMath     int               // no closing $ on the line up to this offset
	hopeless   closer            // what was looked for in vain

	unordered bool
}

// closer is a text that ends a region, however far off.
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

// bracket is a [ that may become a link's text.
type bracket struct {
	pos    int
	image  bool
	inline bool // an inline footnote's: ^[
}

// scanInline finds what is inside of a text: the lines of a paragraph, of a
// heading, of a table's cell or of a comment.
func (s *Scanner) scanInline(segments []segment) {
	in := &s.inline
	in.caret = false
	first := next(s.maps.marks, segments[0].start, segments[0].end)
	if first >= segments[0].end && len(segments) == 1 {
		return // as most texts are: nothing begins in it
	}
	in.segments, in.at, in.end = segments, 0, segments[len(segments)-1].end
	in.brackets, in.barrier = in.brackets[:0], 0
	in.escaped, in.comment, in.noMath = -1, -1, 0
	in.ticksKnown, in.hopeless = false, 0
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

// seek moves to the segment that holds a later offset.
func (in *inlineState) seek(pos int) bool {
	moved := false
	for in.at+1 < len(in.segments) && pos >= in.segments[in.at+1].start {
		in.at++
		moved = true
	}
	return moved
}

// escape moves over a backslash and the punctuation that it escapes.
func (s *Scanner) escape(pos, end int) int {
	if pos+1 == end || !isPunct(s.src[pos+1]) {
		return pos + 1
	}
	s.inline.escaped = pos + 2
	return pos + 2
}

// isPunct reports a character that a backslash can escape.
func isPunct(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

// codeSpan matches a run of backticks with the next one of the same length.
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
			s.region(CodeSpan, Span{pos, i + run})
			return i + run
		}
		if run <= maxTicks {
			in.lastTicks[run] = i
		}
		i += run
	}
	if !in.ticksKnown {
		s.learnTicks(pos)
	}
	return after
}

// learnTicks notes where the last run of each length is, so that a run that
// has no partner is known by one look.
func (s *Scanner) learnTicks(pos int) {
	in := &s.inline
	in.ticksKnown = true
	clear(in.lastTicks[:])
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

// angle finds what < begins: a comment, a tag, an autolink.
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
		if len(s.open) > 0 { // the marks of a quote on the next line are no part of a tag
			text = s.src[pos:in.segments[in.at].end]
		}
		length := autolinkLength(text)
		if length == 0 {
			length = tagLength(text)
		}
		if length > 0 {
			s.region(HTMLTag, Span{pos, pos + length})
			return pos + length
		}
	}
	return pos + 1
}

// markup finds what <! begins.
func (s *Scanner) markup(pos int, text []byte) int {
	switch markupStart(text) {
	case htmlComment:
		// <!--> and <!---> are whole comments.
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

// until records a region that ends at the closing text, if that comes.
func (s *Scanner) until(pos, opening int, wanted closer, kind RegionKind) int {
	in := &s.inline
	from := pos + opening
	if in.hopeless&wanted != 0 || from > in.end {
		return pos + opening
	}
	closing := closers[wanted]
	i := bytes.Index(s.src[from:in.end], []byte(closing))
	if i < 0 {
		in.hopeless |= wanted
		return pos + opening
	}
	end := from + i + len(closing)
	s.region(kind, Span{pos, end})
	return end
}

// declaration finds the > of <!X …, which the mark of a quote is not.
func (s *Scanner) declaration(pos int) int {
	in := &s.inline
	from := pos + 2
	if in.hopeless&closeDeclaration != 0 {
		return from
	}
	for _, line := range in.segments[in.at:] {
		if i := bytes.IndexByte(s.src[max(from, line.start):line.end], '>'); i >= 0 {
			end := max(from, line.start) + i + 1
			s.region(HTMLTag, Span{pos, end})
			return end
		}
	}
	in.hopeless |= closeDeclaration
	return from
}

// autolinkLength is the length of <scheme:…> or <name@host>, or 0.
func autolinkLength(text []byte) int {
	scheme := schemeLength(text[1:])
	at := false
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '>':
			if scheme > 0 || at {
				return i + 1
			}
			return 0
		case c == '@':
			at = true
		case c <= ' ' || c == '<':
			return 0
		}
	}
	return 0
}

// schemeLength is the length of a URL's scheme with its colon, or 0.
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

// math finds $…$ on one line and $$…$$ in the whole text.
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
				s.region(MathSpan, Span{pos, i + 1})
				return i + 1
			}
		}
	}
	in.noMath = end
	return pos + 1
}

// percent pairs %% with %%. What is between is scanned like any text.
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

// ScanLinks finds the links in a span of src that is text by itself, such as
// a property's value. The result is valid until the scanner's next use.
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
