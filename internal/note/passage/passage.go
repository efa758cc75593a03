// Package passage cuts notes into passages: a few paragraphs, lists or tables below one heading.
package passage

import (
	"obsidian-mcp/internal/note/md"
)

// Passage is a part of a note that can be understood by itself.
type Passage struct {
	md.Span           // without the heading
	Headings []string // the headings that it is below, the outermost first
}

// Split cuts the body of a note into passages of about size bytes. Blocks stay whole unless they are much longer; then they
// are cut between lines. Headings, comments and blank lines are not part of any passage.
func Split(note *md.Note, size int) []Passage {
	s := splitter{note: note, size: size}
	for _, block := range note.Blocks {
		switch block.Kind {
		case md.ByteOrderMark, md.YAML, md.Comment, md.Rule, md.Blank:
		case md.HeadingBlock:
			s.end()
			s.heading(block.Span)
		default:
			s.add(block.Span)
		}
	}
	s.end()
	return s.passages
}

// fewWords is the part of a passage that is too little for one of its own.
const fewWords = 4

// splitter goes through the blocks of a note.
type splitter struct {
	note     *md.Note
	size     int
	passages []Passage
	current  md.Span // empty: no passage has begun
	headings []level
	next     int // heading of the note
}

// level is a heading that the current block is below.
type level struct {
	depth int
	text  string
}

// heading begins a section.
func (s *splitter) heading(block md.Span) {
	for ; s.next < len(s.note.Headings) && s.note.Headings[s.next].Start < block.End; s.next++ {
		heading := s.note.Headings[s.next]
		if heading.Start < block.Start {
			continue // in a quote or a list
		}
		for len(s.headings) > 0 && s.headings[len(s.headings)-1].depth >= heading.Level {
			s.headings = s.headings[:len(s.headings)-1]
		}
		s.headings = append(s.headings, level{heading.Level, string(heading.Text.Of(s.note.Source))})
	}
}

// add puts a block into the current passage if it fits there, and otherwise into the next. A few words, such as a caption or the
// sentence before a list, stay with the block that follows them.
func (s *splitter) add(block md.Span) {
	if s.current.End > s.current.Start && block.End-s.current.Start > s.size {
		if s.current.End-s.current.Start < s.size/fewWords {
			block.Start, s.current = s.current.Start, md.Span{}
		} else {
			s.end()
		}
	}
	for block.End-block.Start > 2*s.size {
		end := s.lineEnd(block.Start)
		for next := s.lineEnd(end); next-block.Start <= s.size && next > end; next = s.lineEnd(end) {
			end = next
		}
		if end >= block.End {
			break
		}
		s.current = md.Span{Start: block.Start, End: end}
		s.end()
		block.Start = end
	}
	if s.current.End == s.current.Start {
		s.current.Start = block.Start
	}
	s.current.End = block.End
}

func (s *splitter) lineEnd(at int) int { return md.NextLine(s.note.Source, at) }

// end ends the current passage.
func (s *splitter) end() {
	if s.current.End > s.current.Start {
		var path []string
		for _, heading := range s.headings {
			path = append(path, heading.text)
		}
		s.passages = append(s.passages, Passage{s.current, path})
	}
	s.current = md.Span{}
}
