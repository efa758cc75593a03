package md

// openBracket handles a [, which starts a wikilink or may start the text of a link.
func (s *Scanner) openBracket(pos, end int) int {
	in := &s.inline
	image := pos > in.segments[in.at].start && s.src[pos-1] == '!' && in.escaped != pos
	if pos+1 < end && s.src[pos+1] == '[' {
		if after := s.wikilink(pos, end, image); after > 0 {
			return after
		}
	}
	inline := !image && pos > in.segments[in.at].start && s.src[pos-1] == '^'
	in.brackets = append(in.brackets, bracket{pos: pos, image: image, inline: inline})
	return pos + 1
}

// wikilink records the wikilink that starts at pos and returns the offset behind it. It returns 0 if the line has no
// matching ]] before the next [[.
func (s *Scanner) wikilink(pos, end int, embed bool) int {
	src := s.src
	pipe := -1
	i := pos + 2
	if i < end && src[i] == '[' {
		return 0
	}
	for ; i+1 < end; i++ {
		switch src[i] {
		case ']':
			if src[i+1] == ']' {
				s.lookahead += i - pos
				return s.addWikilink(pos, i, pipe, embed)
			}
		case '[':
			if src[i+1] == '[' {
				s.lookahead += i - pos
				return 0
			}
		case '|':
			if pipe < 0 && i > pos+2 {
				pipe = i
			}
		}
	}
	s.lookahead += i - pos
	return 0
}

func (s *Scanner) addWikilink(pos, closing, pipe int, embed bool) int {
	inner := Span{pos + 2, closing}
	if isBlank(inner.Of(s.src)) {
		return 0
	}
	found := Link{Span: Span{pos, closing + 2}, Dest: inner, Text: Span{closing, closing}, Kind: WikiLink, Embed: embed}
	if embed {
		found.Start--
	}
	if pipe > 0 {
		found.HasText = true
		found.Dest.End = pipe
		found.Text = Span{pipe + 1, closing}
		if s.src[pipe-1] == '\\' && pipe-1 > inner.Start {
			found.EscapedPipe = true
			found.Dest.End--
		}
	}
	s.note.Links = append(s.note.Links, found)
	if !embed {
		s.inline.barrier = len(s.inline.brackets)
	}
	return closing + 2
}

// closeBracket handles a ] that closes a [: the end of the text of a link, or of a footnote.
func (s *Scanner) closeBracket(pos int) int {
	in := &s.inline
	last := len(in.brackets) - 1
	opening := in.brackets[last]
	in.brackets = in.brackets[:last]
	active := opening.image || last >= in.barrier
	in.barrier = min(in.barrier, last)
	if active && pos+1 < in.end && s.src[pos+1] == '(' {
		if after := s.markdownLink(opening, pos); after > 0 {
			return after
		}
	}
	s.footnote(opening, pos)
	return pos + 1
}

// markdownLink reads the (dest "title") behind the text of a link and returns the offset behind it, or 0.
func (s *Scanner) markdownLink(opening bracket, closing int) int {
	in := &s.inline
	r := reader{src: s.src, segments: in.segments, at: in.at, pos: closing + 2}
	defer func() { s.lookahead += r.looked }()
	r.gap()
	dest, angled, ok := r.destination()
	if !ok {
		return 0
	}
	if r.gap() && !r.is(')') && !r.title() {
		return 0
	}
	r.gap()
	if !r.is(')') {
		return 0
	}
	found := Link{
		Span: Span{opening.pos, r.pos + 1}, Dest: dest, Text: Span{opening.pos + 1, closing},
		Kind: MarkdownLink, Embed: opening.image, HasText: true, Angled: angled,
	}
	if opening.image {
		found.Start--
	} else {
		in.barrier = len(in.brackets)
	}
	s.addLink(found)
	return r.pos + 1
}

// addLink records a link unless it is external. A link that contains another one ends after it and is recorded after it,
// so the list must be sorted at the end.
func (s *Scanner) addLink(found Link) {
	links := s.note.Links
	if schemeLength(found.Dest.Of(s.src)) > 0 {
		return
	}
	if len(links) > 0 && links[len(links)-1].Start > found.Start {
		s.inline.unordered = true
	}
	s.note.Links = append(links, found)
}

// footnote records the footnote between two brackets, if it is one.
func (s *Scanner) footnote(opening bracket, closing int) {
	found := Footnote{Span: Span{opening.pos, closing + 1}, Label: Span{opening.pos + 1, closing}}
	switch {
	case opening.inline:
		found.Start--
		found.Kind = FootnoteInline
	case !opening.image && closing > opening.pos+2 && s.src[opening.pos+1] == '^' &&
		!hasSpace(s.src[opening.pos:closing]):
		found.Label.Start++
	default:
		return
	}
	footnotes := s.note.Footnotes
	if len(footnotes) > 0 && footnotes[len(footnotes)-1].Start > found.Start {
		s.inline.unordered = true
	}
	s.note.Footnotes = append(footnotes, found)
}

// hasSpace reports whether the label of a footnote contains white space. It does not search a text that is too long for a
// label.
func hasSpace(text []byte) bool {
	if len(text) > 1000 {
		return true
	}
	for _, c := range text {
		if isSpace(c) {
			return true
		}
	}
	return false
}

// definitions removes link reference definitions from the start of the open paragraph and records them.
func (s *Scanner) definitions() {
	taken := 0
	for taken < len(s.text) && s.src[s.text[taken].start] == '[' {
		lines := s.definition(s.text[taken:])
		if lines == 0 {
			break
		}
		taken += lines
	}
	if taken > 0 {
		s.text = s.text[:copy(s.text, s.text[taken:])]
		s.leaf.line += taken
		if len(s.text) > 0 {
			s.leaf.start = LineStart(s.src, s.text[0].start)
		}
	}
}

// definition reads one [label]: dest "title" and returns how many lines it takes, or 0.
func (s *Scanner) definition(segments []segment) int {
	start := segments[0].start
	label := labelEnd(s.src[start:segments[0].end])
	if label == 0 {
		return 0
	}
	r := reader{src: s.src, segments: segments[:min(len(segments), 3)], pos: start + label + 2}
	defer func() { s.lookahead += r.looked }()
	r.gap()
	dest, angled, ok := r.destination()
	if !ok {
		return 0
	}
	end, line := r.pos, r.at
	if r.spaces(); !r.atLineEnd() {
		if r.pos == end || !r.title() || r.at != line {
			return 0
		}
		end = r.pos
		if r.spaces(); !r.atLineEnd() {
			return 0
		}
	} else if r.gap() && r.at == line+1 && r.title() && r.at == line+1 {
		after := r.pos
		if r.spaces(); r.atLineEnd() {
			end, line = after, r.at
		}
	}
	s.addLink(Link{
		Span: Span{start, end}, Dest: dest, Text: Span{start + 1, start + label},
		Kind: Definition, HasText: true, Angled: angled,
	})
	return line + 1
}

// labelEnd returns the offset of the ] behind the label of a definition, or 0.
func labelEnd(line []byte) int {
	if len(line) < 4 || line[1] == '^' {
		return 0
	}
	for i := 1; i < len(line)-1 && i < 1000; i++ {
		switch line[i] {
		case '\\':
			i++
		case '[':
			return 0
		case ']':
			if line[i+1] == ':' && !isBlank(line[1:i]) {
				return i
			}
			return 0
		}
	}
	return 0
}

// reader reads the parts of a Markdown link, which may span lines.
type reader struct {
	src      []byte
	segments []segment
	at       int
	pos      int
	looked   int // bytes examined
}

func (r *reader) end() int        { return r.segments[r.at].end }
func (r *reader) atLineEnd() bool { return r.pos >= r.end() }
func (r *reader) is(c byte) bool  { return r.pos < r.end() && r.src[r.pos] == c }

// spaces skips white space on the line.
func (r *reader) spaces() {
	for r.pos < r.end() && isSpace(r.src[r.pos]) {
		r.pos++
	}
}

// gap skips white space and at most one line end. It reports whether there was any.
func (r *reader) gap() bool {
	from, line := r.pos, r.at
	r.spaces()
	if r.atLineEnd() && r.at+1 < len(r.segments) {
		r.at++
		r.pos = r.segments[r.at].start
		r.spaces()
	}
	return r.pos > from || r.at > line
}

// destination reads <dest> or dest.
func (r *reader) destination() (dest Span, angled, ok bool) {
	if !r.is('<') {
		return r.bareDestination()
	}
	start := r.pos + 1
	for i := start; i < r.end(); i++ {
		r.looked++
		switch r.src[i] {
		case '\\':
			i++
		case '<':
			return Span{}, false, false
		case '>':
			r.pos = i + 1
			return Span{start, i}, true, i > start
		}
	}
	return Span{}, false, false
}

// maxParens bounds how deep parentheses nest in a destination.
const maxParens = 32

func (r *reader) bareDestination() (dest Span, angled, ok bool) {
	start, end := r.pos, r.end()
	depth, i := 0, start
	for i < end {
		switch c := r.src[i]; {
		case !endsDestination[c]:
		case c == '\\':
			if i+1 < end && isPunct(r.src[i+1]) {
				i++
			}
		case c == '(' && depth < maxParens:
			depth++
		case c == ')' && depth > 0:
			depth--
		default:
			r.pos = i
			r.looked += i - start
			return Span{start, i}, false, i > start && depth == 0 && c != '('
		}
		i++
	}
	r.pos = i
	r.looked += i - start
	return Span{start, i}, false, i > start && depth == 0
}

// endsDestination holds the bytes that may end a destination that is not in angle brackets.
var endsDestination = func() (ends [256]bool) {
	for c := range ' ' + 1 {
		ends[c] = true
	}
	for _, c := range "\\()\x7f" {
		ends[c] = true
	}
	return ends
}()

// title skips "…", '…' or (…), which may span lines. It reports whether there was a title.
func (r *reader) title() bool {
	if r.atLineEnd() {
		return false
	}
	closing := r.src[r.pos]
	switch closing {
	case '"', '\'':
	case '(':
		closing = ')'
	default:
		return false
	}
	for i := r.pos + 1; ; i++ {
		r.looked++
		if i >= r.end() {
			if r.at+1 == len(r.segments) {
				return false
			}
			r.at++
			i = r.segments[r.at].start - 1
			continue
		}
		switch c := r.src[i]; {
		case c == closing:
			r.pos = i + 1
			return true
		case c == '\\':
			i++
		case c == '(' && closing == ')':
			return false
		}
	}
}
