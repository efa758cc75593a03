// Package edit holds every change that can be made to a note, each as a pure
// function from bytes and intent to splices. Bytes outside of the splices are
// never touched: line ends, byte-order mark, YAML comments, key order and
// trailing spaces stay as they are. What is inserted takes the line ends that
// are in use around it.
//
// Nothing here reads a file. Whoever calls an edit applies its splices with
// md.Apply to the very bytes that it was made for.
package edit

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
)

// Open scans a note that is to be edited. Text that is not UTF-8 can be read
// but not edited: a client never sees it as it is, and would break it.
func Open(src []byte) (*md.Note, error) {
	if !utf8.Valid(src) {
		return nil, fault.InvalidArgument.Errorf("the note is not valid UTF-8, so it can only be read").
			WithHint("save it as UTF-8 with another program first")
	}
	return md.Scan(src), nil
}

// Append adds text at the end of a note, with one blank line between the old
// and the new. A note that ends in a newline still does afterwards.
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
	} else if len(src) > 0 && src[len(src)-1] != '\n' && !endsInMark(src) {
		added = eol + added // after a closing fence without a line end, or spaces
	}
	return insert(len(src), added)
}

// AppendLine adds text at the end of a note, after a line end and nothing
// else.
func AppendLine(note *md.Note, text string) []md.Splice {
	eol := md.LineEnd(note.Source, len(note.Source))
	return insert(len(note.Source), eol+withLineEnds(text, eol))
}

// gapAfter is what makes one blank line after src.
func gapAfter(src []byte, eol string) string {
	tail := src[len(bytes.TrimRight(src, " \t\r\n")):]
	ends := bytes.Count(tail, []byte("\n"))
	if ends > 0 && tail[len(tail)-1] != '\n' {
		return eol + gapAfter(bytes.TrimRight(src, " \t\r"), eol) // the last line is blank and has no end
	}
	switch ends {
	case 0:
		return eol + eol
	case 1:
		return eol
	}
	return ""
}

// endsInMark reports a note that is a byte-order mark alone.
func endsInMark(src []byte) bool { return bytes.Equal(src, []byte("\ufeff")) }

// ReplaceBody puts content in the place of all that follows the frontmatter.
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

// ReplaceText replaces the first occurrence of a text in the body, or all of
// them, and says how many there are. Where a note has CRLF line ends, a text
// with plain newlines matches them too, and is replaced in kind.
func ReplaceText(note *md.Note, old, replacement string, all bool) (splices []md.Splice, found int) {
	src := note.Source
	if old == "" {
		return nil, 0
	}
	body := src[note.Body:]
	eol := bodyLineEnd(note)
	if converted := withLineEnds(old, eol); bytes.Contains(body, []byte(converted)) {
		old = converted // first: "\nb" as it is would match the half of a CRLF
	}
	if strings.Contains(old, "\n") && !strings.Contains(old, "\r\n") {
		eol = "\n" // the text that is replaced has them, whatever the rest of the note has
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

// bodyLineEnd is the line end in use in the body, else in the frontmatter.
func bodyLineEnd(note *md.Note) string {
	return md.LineEnd(note.Source, min(md.NextLine(note.Source, note.Body), len(note.Source)))
}

// Side says on which side of a line something is put.
type Side uint8

// The sides of a line.
const (
	Before Side = iota
	After
)

// InsertLine puts text as lines of its own before or after the first line of
// the body that holds the pattern. It reports false when there is none.
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

// insertLines puts text at the start of a line, or behind a last line that
// has no end; the gap follows its last line.
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

// withLineEnds gives text the line ends of the note that it goes into.
func withLineEnds(text, eol string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if eol == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", eol)
}

func isBlank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
