package md

import (
	"bytes"
	"slices"
)

// Scan scans one note.
func Scan(src []byte) *Note { return new(Scanner).Scan(src) }

// Scanner scans notes one after the other and reuses its memory: scanning
// allocates only when a note is larger than all before it.
type Scanner struct {
	note Note
	src  []byte

	// Open blocks, outermost first; the leaf is what the last line is in.
	open  []container
	leaf  leaf
	top   Block // the top-level block under construction
	inTop bool

	line    int // number of the line at hand
	started int // where it starts
	ended   int // where the next one starts
	lastEnd int // where the last line that was not blank ended

	text  []segment // lines of an open paragraph, or of a comment
	flags byteClass // of all bytes in text
	list  listMemo
	later []unsettledID

	inline inlineState
}

// segment is the part of a line that is left after its containers' marks.
type segment struct {
	start, end int
	line       int // where the line itself starts
	number     int // of the line
}

// Scan scans src. The result shares src and is valid until the next scan.
func (s *Scanner) Scan(src []byte) *Note {
	s.reset(src)
	s.head()
	for at := s.note.Body; at < len(src); {
		s.line++
		at = s.nextLine(at)
	}
	s.closeLeaf()
	s.closeContainers(0)
	s.endTop(len(src))
	s.settleIDs()
	if s.inline.unordered {
		slices.SortStableFunc(s.note.Links, func(a, b Link) int { return a.Start - b.Start })
		slices.SortStableFunc(s.note.Footnotes, func(a, b Footnote) int { return a.Start - b.Start })
	}
	return &s.note
}

func (s *Scanner) reset(src []byte) {
	n := &s.note
	*n = Note{
		Source: src, Blocks: n.Blocks[:0], Headings: n.Headings[:0], Links: n.Links[:0], Tags: n.Tags[:0],
		IDs: n.IDs[:0], Items: n.Items[:0], Callouts: n.Callouts[:0], Footnotes: n.Footnotes[:0], Regions: n.Regions[:0],
	}
	*s = Scanner{note: *n, src: src, open: s.open[:0], text: s.text[:0], later: s.later[:0],
		inline: inlineState{brackets: s.inline.brackets[:0]}}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// head takes a byte-order mark and the frontmatter off the front.
func (s *Scanner) head() {
	n := &s.note
	if bytes.HasPrefix(s.src, byteOrderMark) {
		n.Body = len(byteOrderMark)
		n.Blocks = append(n.Blocks, Block{Span: Span{0, n.Body}, Kind: ByteOrderMark, Line: 1})
	}
	if n.Front = findFront(s.src, n.Body); n.Front.Present {
		n.Blocks = append(n.Blocks, Block{Span: n.Front.Block, Kind: YAML, Line: 1})
		s.line = countLines(n.Front.Block.Of(s.src))
		n.Body = n.Front.Block.End
	}
	s.lastEnd = n.Body
}

// findFront finds frontmatter that opens at the given offset.
func findFront(src []byte, at int) Frontmatter {
	open := lineEnd(src, at)
	if !isFence(src[at:open]) || open == len(src) {
		return Frontmatter{}
	}
	for start := open; start < len(src); {
		end := lineEnd(src, start)
		if isFence(src[start:end]) {
			return Frontmatter{Present: true, Block: Span{at, end}, YAML: Span{open, start}}
		}
		start = end
	}
	return Frontmatter{}
}

// isFence reports a line of three dashes, with its end.
func isFence(line []byte) bool {
	return len(line) >= 3 && line[0] == '-' && line[1] == '-' && line[2] == '-' && isBlank(line[3:])
}

// nextLine handles the line that starts at the given offset and returns the
// start of the next one.
func (s *Scanner) nextLine(start int) int {
	src := s.src
	flags := byteClass(0)
	i := start
	for i < len(src) && src[i] != '\n' {
		flags |= classes[src[i]]
		i++
	}
	end, next := i, i
	if i < len(src) {
		next++
		if end > start && src[end-1] == '\r' {
			end--
		}
	}
	s.started, s.ended = start, next
	s.handle(start, end, flags)
	return next
}

// byteClass marks the bytes that can begin something inside of text.
type byteClass uint8

const (
	classTick byteClass = 1 << iota
	classOpen
	classClose
	classHash
	classLess
	classDollar
	classPercent
	classEscape

	// classStart is what text must hold for the inline scan to find anything.
	classStart = classTick | classOpen | classHash | classLess | classDollar | classPercent
)

var classes = [256]byteClass{
	'`': classTick, '[': classOpen, ']': classClose, '#': classHash, '<': classLess,
	'$': classDollar, '%': classPercent, '\\': classEscape,
}

// lineEnd is the offset after the end of the line that holds offset at.
func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

func countLines(src []byte) int { return bytes.Count(src, []byte{'\n'}) }

// isBlank reports whether nothing but white space is there.
func isBlank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}
