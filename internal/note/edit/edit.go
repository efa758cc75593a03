// Package edit implements every change that can be made to a note, each as a pure function that returns splices. Bytes
// outside the splices never change: line ends, byte-order mark, YAML comments, the order of keys and trailing spaces stay
// as they are. Inserted text takes the line ends used around it.
//
// The package does no I/O. The caller applies the splices with md.Apply to exactly the bytes that the edit was made for.
package edit

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
)

// Open scans a note for editing. It rejects a note that is not UTF-8: clients see only a repaired copy of such a note and
// would damage it.
func Open(src []byte) (*md.Note, error) {
	if !utf8.Valid(src) {
		return nil, fault.InvalidArgument.Errorf("the note is not valid UTF-8, so it cannot be edited").
			WithHint("convert it to UTF-8 with another program first")
	}
	return md.Scan(src), nil
}

// Append adds text at the end of a note, after a blank line. A note that ends in a newline still does afterwards.
func Append(note *md.Note, text string) []md.Splice {
	src := note.Source
	if text == "" {
		return nil
	}
	eol := md.LineEnd(src, len(src))
	added := withLineEnds(text, eol)
	if !isBlank(src[note.Body:]) {
		added = gapAfter(src, eol) + added
		if bytes.HasSuffix(src, []byte("\n")) && !strings.HasSuffix(added, "\n") {
			added += eol
		}
	} else if len(src) > 0 && src[len(src)-1] != '\n' && !isByteOrderMark(src) {
		added = eol + added // the closing fence, or a line of spaces, has no line end
	}
	return insert(len(src), added)
}

// AppendLine adds text at the end of a note, after a single line end.
func AppendLine(note *md.Note, text string) []md.Splice {
	eol := md.LineEnd(note.Source, len(note.Source))
	return insert(len(note.Source), eol+withLineEnds(text, eol))
}

// gapAfter returns the line ends that src needs to end in one blank line.
func gapAfter(src []byte, eol string) string {
	tail := src[len(bytes.TrimRight(src, " \t\r\n")):]
	ends := bytes.Count(tail, []byte("\n"))
	if ends > 0 && tail[len(tail)-1] != '\n' {
		return eol + gapAfter(bytes.TrimRight(src, " \t\r"), eol) // the last line is blank and has no line end
	}
	switch ends {
	case 0:
		return eol + eol
	case 1:
		return eol
	}
	return ""
}

// isByteOrderMark reports whether the note consists of a byte-order mark.
func isByteOrderMark(src []byte) bool { return bytes.Equal(src, []byte("\ufeff")) }

// ReplaceBody replaces everything after the frontmatter.
func ReplaceBody(note *md.Note, content string) []md.Splice {
	src := note.Source
	body := md.Span{Start: note.Body, End: len(src)}
	eol := bodyLineEnd(note)
	text := withLineEnds(content, eol)
	if note.Front.Present && text != "" && src[note.Body-1] != '\n' {
		text = eol + text
	}
	if string(body.Of(src)) == text {
		return nil
	}
	return []md.Splice{{Span: body, Text: []byte(text)}}
}

// ReplaceText replaces the first occurrence of a text in the body, or all of them, and returns how many there are. In a
// note with CRLF line ends, a text with plain newlines matches too, and the replacement gets CRLF.
func ReplaceText(note *md.Note, old, replacement string, all bool) (splices []md.Splice, found int) {
	src := note.Source
	if old == "" {
		return nil, 0
	}
	body := src[note.Body:]
	eol := bodyLineEnd(note)
	if converted := withLineEnds(old, eol); bytes.Contains(body, []byte(converted)) {
		old = converted // tried first, because "\nb" would match half of a CRLF
	}
	if strings.Contains(old, "\n") && !strings.Contains(old, "\r\n") {
		eol = "\n" // the replaced text uses plain newlines, whatever the rest of the note uses
	}
	text := []byte(withLineEnds(replacement, eol))
	for at := 0; ; found++ {
		i := bytes.Index(body[at:], []byte(old))
		if i < 0 {
			return splices, found
		}
		start := note.Body + at + i
		at += i + len(old)
		if found == 0 || all {
			splices = append(splices, md.Splice{Span: md.Span{Start: start, End: start + len(old)}, Text: text})
		}
	}
}

// bodyLineEnd returns the line end used in the body, else in the frontmatter.
func bodyLineEnd(note *md.Note) string {
	return md.LineEnd(note.Source, min(md.NextLine(note.Source, note.Body), len(note.Source)))
}

// Side says on which side of a line to insert.
type Side uint8

// The sides of a line.
const (
	Before Side = iota
	After
)

// InsertLine inserts text as separate lines before or after the first line of the body that contains the pattern. It
// returns false if no line does.
func InsertLine(note *md.Note, text, pattern string, side Side) ([]md.Splice, bool) {
	src := note.Source
	i := bytes.Index(src[note.Body:], []byte(pattern))
	if i < 0 || pattern == "" {
		return nil, false
	}
	start := md.LineStart(src, note.Body+i)
	start = max(start, note.Body)
	if side == Before {
		eol := md.LineEnd(src, start)
		return insert(start, strings.TrimSuffix(withLineEnds(text, eol), eol)+eol), true
	}
	end := md.NextLine(src, note.Body+i+len(pattern)-1)
	return insertLines(src, end, text, ""), true
}

// insertLines inserts text and then the gap at the start of a line, or after a last line that has no line end.
func insertLines(src []byte, at int, text, gap string) []md.Splice {
	eol := md.LineEnd(src, at)
	lines := strings.TrimSuffix(withLineEnds(text, eol), eol)
	if at > 0 && src[at-1] != '\n' {
		return insert(at, eol+lines)
	}
	return insert(at, lines+eol+gap)
}

func insert(at int, text string) []md.Splice {
	if text == "" {
		return nil
	}
	return []md.Splice{{Span: md.Span{Start: at, End: at}, Text: []byte(text)}}
}

// withLineEnds converts the line ends of text to eol.
func withLineEnds(text, eol string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if eol == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", eol)
}

func isBlank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
