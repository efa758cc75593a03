package md

import (
	"bytes"

	"obsidian-mcp/internal/text/order"
)

// Scan scans one note.
func Scan(src []byte) *Note { return new(Scanner).Scan(src) }

// ScanText scans Markdown that is not an entire note, such as a card of a canvas. It has no frontmatter: three dashes at
// the start are a rule.
func ScanText(src []byte) *Note {
	s := new(Scanner)
	s.reset(src)
	s.maps.cover(src, 0, len(src))
	return s.scan()
}

// Scanner scans notes one after the other and reuses its memory: it allocates only for a note that is larger than all
// earlier ones.
type Scanner struct {
	note Note
	src  []byte
	maps bitmaps

	// Open blocks, outermost first. The leaf is the block that the last line belongs to.
	open   []container
	quotes int // how many of the open blocks are quotes
	leaf   leaf
	inTop  bool

	line    int // number of the current line
	started int // where it starts
	ended   int // where the next line starts

	lastEnd  int // where the last non-blank line ended
	lastLine int // its number

	text   []segment // lines of the open paragraph or comment
	list   listMemo
	later  []unsettledID
	paired pairing

	inline inlineState

	// lookahead counts the bytes examined ahead of the scan, by searches for a closing mark and the like. They are the
	// part of the work that could grow faster than the note; a test bounds them.
	lookahead int
}

// segment is the part of a line behind the marks of its containers.
type segment struct{ start, end int }

// Scan scans src. The result refers to src and is valid until the next scan.
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
		order.Stably(s.note.Links, func(a, b Link) int { return a.Start - b.Start })
		order.Stably(s.note.Footnotes, func(a, b Footnote) int { return a.Start - b.Start })
	}
	return &s.note
}

func (s *Scanner) reset(src []byte) {
	n := &s.note
	n.Source, n.Front, n.Body = src, Frontmatter{}, 0
	n.Blocks, n.Headings, n.Links, n.Tags, n.IDs = n.Blocks[:0], n.Headings[:0], n.Links[:0], n.Tags[:0], n.IDs[:0]
	n.Items, n.Callouts, n.Footnotes, n.Regions = n.Items[:0], n.Callouts[:0], n.Footnotes[:0], n.Regions[:0]
	s.src, s.open, s.quotes, s.leaf, s.inTop = src, s.open[:0], 0, leaf{}, false
	s.line, s.lastEnd, s.lastLine, s.lookahead = 0, 0, 0, 0
	s.text, s.list, s.later = s.text[:0], listMemo{}, s.later[:0]
	s.inline.unordered, s.inline.inComment = false, false
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// head scans the byte-order mark and the frontmatter.
func (s *Scanner) head() {
	n := &s.note
	if bytes.HasPrefix(s.src, byteOrderMark) {
		n.Body = len(byteOrderMark)
		n.Blocks = append(n.Blocks, Block{Span: Span{0, n.Body}, Kind: ByteOrderMark, Line: 1})
	}
	if n.Front = findFront(s.src, n.Body); n.Front.Present {
		n.Blocks = append(n.Blocks, Block{Span: n.Front.Block, Kind: YAML, Line: 1})
		s.line = countNewlines(n.Front.Block.Of(s.src))
		n.Body = n.Front.Block.End
	}
	s.lastEnd, s.lastLine = n.Body, s.line
}

// findFront returns the frontmatter that starts at the given offset.
func findFront(src []byte, at int) Frontmatter {
	if len(src) < at+3 || src[at] != '-' {
		return Frontmatter{}
	}
	open := lineEnd(src, at)
	if !isFence(src[at:open]) {
		return Frontmatter{}
	}
	for start := open; start < len(src); start = lineEnd(src, start) {
		if src[start] == '-' && isFence(src[start:lineEnd(src, start)]) {
			return Frontmatter{Present: true, Block: Span{at, lineEnd(src, start)}, YAML: Span{open, start}}
		}
	}
	return Frontmatter{}
}

// BodyStart returns where the body of a note starts: after a byte-order mark and the frontmatter.
func BodyStart(src []byte) int {
	start := 0
	if bytes.HasPrefix(src, byteOrderMark) {
		start = len(byteOrderMark)
	}
	return max(start, findFront(src, start).Block.End)
}

// isFence reports whether a line, given with its line end, consists of three dashes.
func isFence(line []byte) bool {
	return len(line) >= 3 && line[0] == '-' && line[1] == '-' && line[2] == '-' && isBlank(line[3:])
}

// lineEnd returns the offset behind the line that contains the offset.
func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

func countNewlines(src []byte) int { return bytes.Count(src, []byte{'\n'}) }

// isBlank reports whether line contains only white space.
func isBlank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}
