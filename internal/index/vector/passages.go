package vector

import (
	"bytes"
	"unicode/utf8"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/text/meaning"
)

// passageLength is about how many bytes of text a passage has.
const passageLength = 300

// Maker makes the blocks of notes. It keeps its memory; only one goroutine may use it at a time.
type Maker struct {
	reader  *meaning.Reader
	title   meaning.Vector
	path    []headingSum // the headings above
	starts  []int
	vectors []meaning.Vector
}

// headingSum is a heading that the text stands under.
type headingSum struct {
	level int
	sum   meaning.Vector
}

// NewMaker returns a maker that uses a table of words.
func NewMaker(table *meaning.Table) *Maker { return &Maker{reader: meaning.NewReader(table)} }

// Make makes the block of a note. Each passage counts with the note's title and with the headings above it.
func (m *Maker) Make(title string, text []byte) Block {
	m.title, m.path, m.starts, m.vectors = meaning.Vector{}, m.path[:0], m.starts[:0], m.vectors[:0]
	m.reader.Add([]byte(title), &m.title)
	body := md.BodyStart(text)
	eachPassage(text[body:], func(at, level int, passage []byte) {
		if level > 0 {
			m.heading(level, passage)
			return
		}
		sum := m.above()
		before := m.reader.Words
		m.reader.Add(passage, &sum)
		if m.reader.Words > before {
			m.add(body+at, sum)
		}
	})
	if len(m.starts) == 0 {
		m.add(body, m.above())
	}
	return encode(m.starts, m.vectors)
}

func (m *Maker) add(at int, sum meaning.Vector) {
	sum.Unit()
	m.starts, m.vectors = append(m.starts, at), append(m.vectors, sum)
}

// heading goes on below a heading.
func (m *Maker) heading(level int, text []byte) {
	for len(m.path) > 0 && m.path[len(m.path)-1].level >= level {
		m.path = m.path[:len(m.path)-1]
	}
	m.path = append(m.path, headingSum{level: level})
	m.reader.Add(text, &m.path[len(m.path)-1].sum)
}

// above is the sum of the title and the headings.
func (m *Maker) above() meaning.Vector {
	sum := m.title
	for i := range m.path {
		sum.Add(&m.path[i].sum)
	}
	return sum
}

// eachPassage yields the headings of a text with their levels and, between them, passages of whole lines with level 0. A
// passage ends early at a blank line if it is long enough; a long line is cut between words.
func eachPassage(text []byte, yield func(at, level int, passage []byte)) {
	start := 0
	inFence := false
	flush := func(end int) {
		if len(bytes.TrimSpace(text[start:end])) > 0 {
			yield(start, 0, text[start:end])
		}
		start = end
	}
	for at := 0; at < len(text); {
		end := md.NextLine(text, at)
		line := bytes.TrimSpace(text[at:end])
		if bytes.HasPrefix(line, []byte("```")) {
			inFence = !inFence
		}
		level := 0
		if !inFence {
			level = headingLevel(line)
		}
		switch {
		case level > 0:
			flush(at)
			yield(at, level, line[level:])
			start = end
		case len(line) == 0 && at-start > passageLength*2/3:
			flush(at)
		case end-start > passageLength:
			if at > start {
				flush(at)
			}
			for end-start > passageLength {
				flush(start + wordsEnd(text[start:end], passageLength))
			}
		}
		at = end
	}
	flush(len(text))
}

// headingLevel is the number of # before a heading, or 0.
func headingLevel(line []byte) int {
	level := 0
	for level < len(line) && line[level] == '#' {
		level++
	}
	if level > 6 || level == len(line) || line[level] != ' ' {
		return 0
	}
	return level
}

// wordsEnd returns where to cut a line that is longer than a limit: after a word or, failing that, a character.
func wordsEnd(line []byte, limit int) int {
	if space := bytes.LastIndexByte(line[:limit], ' '); space > limit/2 {
		return space + 1
	}
	for limit > 1 && !utf8.RuneStart(line[limit]) {
		limit--
	}
	return limit
}
