package index

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/order"
)

// snippetSize is about how many bytes of a text a snippet shows.
const snippetSize = 200

// Passage is the part of a file that fits a query best.
type Passage struct {
	Snippet string // a piece of the text on one line, without markup
	Line    int    // the line of its first match; 1 if the text has none
	Section string // the heading above that line, or ""
	Offset  int    // of the first match in the text
}

// Passage returns the part of a file's text around what a query asks for. If the text has nothing of it, that is the
// start of the text.
func (s *Snapshot) Passage(q *search.Query, found Found) Passage {
	passage := Passage{Line: 1}
	doc := s.docOf(found.Path)
	if doc < 0 {
		return passage
	}
	s.withFile(doc, func(f *search.File) {
		data := f.Text
		var spans []md.Span
		switch {
		case f.Canvas:
			data = search.CanvasText(f.Text)
		case found.Best > bodyStart(data) && found.Best <= len(data):
			spans = []md.Span{{Start: found.Best - 1, End: found.Best}}
		default:
			spans = quickSpans(q, data)
		}
		if spans == nil {
			spans = q.Spans(f, 16)
		}
		passage.Snippet = around(data, spans)
		if len(spans) > 0 && !f.Canvas {
			passage.locate(data, densest(spans))
		}
	})
	return passage
}

// scanners are reused, because a scanner keeps its memory.
var scanners = sync.Pool{New: func() any { return new(md.Scanner) }}

// locate sets the line and the section of an offset. What follows the next line does not matter for that.
func (p *Passage) locate(data []byte, offset int) {
	p.Line = 1 + bytes.Count(data[:offset], newline)
	p.Offset = offset
	scanner := scanners.Get().(*md.Scanner)
	defer scanners.Put(scanner)
	read := data[:md.NextLine(data, md.NextLine(data, offset))]
	for _, heading := range scanner.Scan(read).Headings {
		if heading.Start > offset {
			break
		}
		p.Section = valid(string(heading.Text.Of(data)))
	}
}

// quickSpans finds plain words in their most common spellings, without folding the text. It returns nil if that
// does not find all of them.
func quickSpans(q *search.Query, data []byte) []md.Span {
	words, plain := q.Plain()
	if !plain {
		return nil
	}
	body := bodyStart(data)
	var spans []md.Span
	for _, word := range words {
		count := 0
		for _, spelling := range spellings(word) {
			for from := body; count < 4; count++ {
				at := bytes.Index(data[from:], spelling)
				if at < 0 {
					break
				}
				spans = append(spans, md.Span{Start: from + at, End: from + at + len(spelling)})
				from += at + len(spelling)
			}
		}
		if count == 0 {
			return nil
		}
	}
	order.By(spans, func(a, b md.Span) int { return a.Start - b.Start })
	return spans
}

// spellings returns a word in lower case, and with a capital.
func spellings(word string) [][]byte {
	lower := strings.ToLower(word)
	r, size := utf8.DecodeRuneInString(lower)
	return [][]byte{[]byte(lower), []byte(string(unicode.ToUpper(r)) + lower[size:])}
}

// bodyStart returns where a note's text begins, after simple frontmatter.
func bodyStart(data []byte) int {
	start := 0
	if bytes.HasPrefix(data, byteOrderMark) {
		start = len(byteOrderMark)
	}
	line := []byte("\n---\n")
	if bytes.HasPrefix(data[start:], []byte("---\r\n")) {
		line = []byte("\r\n---\r\n")
	} else if !bytes.HasPrefix(data[start:], []byte("---\n")) {
		return start
	}
	if end := bytes.Index(data[start:], line); end >= 0 {
		return start + end + len(line)
	}
	return start
}

// around cuts a snippet out of a text where the spans are densest.
func around(data []byte, spans []md.Span) string {
	start := bodyStart(data)
	if len(spans) > 0 {
		best := densest(spans)
		low := 0
		if best >= start {
			low = start // frontmatter says little
		}
		start = max(low, wordStart(data, max(0, best-snippetSize/3)))
	}
	end := min(len(data), start+snippetSize)
	for back := 0; back < utf8.UTFMax && end < len(data) && end > start && !utf8.RuneStart(data[end]); back++ {
		end--
	}
	if end < len(data) {
		if space := bytes.LastIndexAny(data[start:end], " \n\t"); space > snippetSize/2 {
			end = start + space
		}
	}
	text := Plain(strings.ToValidUTF8(string(data[start:end]), "\ufffd"))
	if start > bodyStart(data) {
		text = "…" + text
	}
	if end < len(data) && len(bytes.TrimSpace(data[end:])) > 0 {
		text += "…"
	}
	return text
}

// densest returns the start of the span that most others follow closely.
func densest(spans []md.Span) int {
	best, most := spans[0].Start, 0
	for i, first := range spans {
		count := 0
		for _, span := range spans[i:] {
			if span.End <= first.Start+snippetSize*2/3 {
				count++
			}
		}
		if count > most {
			best, most = first.Start, count
		}
	}
	return best
}

// wordStart moves an offset back to the start of a line or a word nearby.
func wordStart(data []byte, at int) int {
	low := max(0, at-40)
	if line := bytes.LastIndexByte(data[low:at], '\n'); line >= 0 {
		return low + line + 1
	}
	if space := bytes.LastIndexByte(data[low:at], ' '); space >= 0 {
		return low + space + 1
	}
	for back := 0; back < utf8.UTFMax && at > 0 && at < len(data) && !utf8.RuneStart(data[at]); back++ {
		at--
	}
	return at
}

// Text returns the text of a file, or "" if the index does not have it. Bytes that are not UTF-8 are replaced.
func (s *Snapshot) Text(path vpath.Path) string {
	text := ""
	if doc := s.docOf(path); doc >= 0 {
		s.text.Text(doc, func(data []byte, _ bool) { text = strings.ToValidUTF8(string(data), "\ufffd") })
	}
	return text
}

// View shows the text of a file as it is; it is valid only until use returns. A file that the index has no text of is not
// shown.
func (s *Snapshot) View(path vpath.Path, use func(text []byte)) {
	if doc := s.docOf(path); doc >= 0 {
		s.text.Text(doc, func(data []byte, _ bool) { use(data) })
	}
}

// Line returns a line of a file, counted from 1, or "" if the index does not have it. Bytes that are not UTF-8 are
// replaced.
func (s *Snapshot) Line(path vpath.Path, number int) string {
	line := ""
	if doc := s.docOf(path); doc >= 0 && number > 0 {
		s.text.Text(doc, func(data []byte, _ bool) {
			start := 0
			for ; number > 1 && start < len(data); number-- {
				start = md.NextLine(data, start)
			}
			if number == 1 {
				line = strings.ToValidUTF8(string(data[start:md.NextLine(data, start)]), "\ufffd")
			}
		})
	}
	return line
}
