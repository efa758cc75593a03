package md

import (
	"bytes"
	"slices"
)

// Scan scans one note.
func Scan(src []byte) *Note { return new(Scanner).Scan(src) }

// ScanText scans Markdown that is not a whole note, such as a card of a
// canvas: three dashes at its start are no frontmatter.
func ScanText(src []byte) *Note {
	s := new(Scanner)
	s.reset(src)
	s.maps.cover(src, 0, len(src))
	return s.scan()
}

// Scanner scans notes one after the other and reuses its memory: scanning
// allocates only when a note is larger than all before it.
type Scanner struct {
	note Note
	src  []byte
	maps bitmaps

	// Open blocks, outermost first; the leaf is what the last line is in.
	open   []container
	quotes int // how many of them are quotes
	leaf   leaf
	inTop  bool

	line    int // number of the line at hand
	started int // where it starts
	ended   int // where the next one starts

	lastEnd  int // where the last line that was not blank ended
	lastLine int // its number

	text   []segment // lines of an open paragraph, or of a comment
	list   listMemo
	later  []unsettledID
	paired pairing

	inline inlineState
}

// segment is the part of a line that is left after its containers' marks.
type segment struct{ start, end int }

// Scan scans src. The result shares src and is valid until the next scan.
func (s *Scanner) Scan(src []byte) *Note {
	s.reset(src)
	s.maps.cover(src, 0, len(src))
	s.head()
	return s.scan()
}

// scan reads the body.
func (s *Scanner) scan() *Note {
	src := s.src
	for at := s.note.Body; at < len(src); at = s.ended {
		s.line++
		if src[at] == '\n' && s.plainBlank() {
			s.ended = at + 1
			continue
		}
		end := next(s.maps.ends, at, len(src))
		s.started, s.ended = at, end
		if end < len(src) {
			s.ended++
			if end > at && src[end-1] == '\r' {
				end--
			}
		}
		s.handle(at, end)
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
	n.Source, n.Front, n.Body = src, Frontmatter{}, 0
	n.Blocks, n.Headings, n.Links, n.Tags, n.IDs = n.Blocks[:0], n.Headings[:0], n.Links[:0], n.Tags[:0], n.IDs[:0]
	n.Items, n.Callouts, n.Footnotes, n.Regions = n.Items[:0], n.Callouts[:0], n.Footnotes[:0], n.Regions[:0]
	s.src, s.open, s.quotes, s.leaf, s.inTop = src, s.open[:0], 0, leaf{}, false
	s.line, s.lastEnd, s.lastLine = 0, 0, 0
	s.text, s.list, s.later = s.text[:0], listMemo{}, s.later[:0]
	s.inline.unordered, s.inline.inComment = false, false
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// head takes a byte-order mark and the frontmatter off the front.
func (s *Scanner) head() {
	n := &s.note
	if bytes.HasPrefix(s.src, byteOrderMark) {
		n.Body = len(byteOrderMark)
		n.Blocks = append(n.Blocks, Block{Span: Span{0, n.Body}, Kind: ByteOrderMark, Line: 1})
	}
	if n.Front = s.findFront(n.Body); n.Front.Present {
		n.Blocks = append(n.Blocks, Block{Span: n.Front.Block, Kind: YAML, Line: 1})
		s.line = countLines(n.Front.Block.Of(s.src))
		n.Body = n.Front.Block.End
	}
	s.lastEnd, s.lastLine = n.Body, s.line
}

// findFront finds frontmatter that opens at the given offset.
func (s *Scanner) findFront(at int) Frontmatter {
	src := s.src
	if len(src) < at+3 || src[at] != '-' {
		return Frontmatter{}
	}
	open := s.lineAfter(at)
	if !isFence(src[at:open]) {
		return Frontmatter{}
	}
	for start := open; start < len(src); start = next(s.maps.ends, start, len(src)) + 1 {
		if src[start] == '-' && isFence(src[start:s.lineAfter(start)]) {
			return Frontmatter{Present: true, Block: Span{at, s.lineAfter(start)}, YAML: Span{open, start}}
		}
	}
	return Frontmatter{}
}

// lineAfter is where the line after the offset's starts.
func (s *Scanner) lineAfter(at int) int {
	return min(next(s.maps.ends, at, len(s.src))+1, len(s.src))
}

// isFence reports a line of three dashes, with its end.
func isFence(line []byte) bool {
	return len(line) >= 3 && line[0] == '-' && line[1] == '-' && line[2] == '-' && isBlank(line[3:])
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
