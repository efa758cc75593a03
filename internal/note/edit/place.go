package edit

import (
	"bytes"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
)

// Continue adds text at the end of a note, after a blank line unless the text continues a list or a table.
func Continue(note *md.Note, text string) []md.Splice {
	content := trimLines(note.Source, md.Span{Start: note.Body, End: len(note.Source)})
	eol := md.LineEnd(note.Source, content.End)
	lines := strings.Trim(withLineEnds(text, eol), "\r\n")
	if content.Len() == 0 || !continues(note.Source, content, lines) {
		return Append(note, text)
	}
	return insert(content.End, eol+lines)
}

// Prepend adds text at the start of a note's body, before a blank line unless the note goes on with the same list or
// table.
func Prepend(note *md.Note, text string) ([]md.Splice, error) {
	content := trimLines(note.Source, md.Span{Start: note.Body, End: len(note.Source)})
	if content.Len() == 0 {
		return Append(note, text), nil
	}
	splices := insertBefore(note.Source, content, text)
	after := md.Scan(md.Apply(note.Source, splices))
	if after.Front.Present != note.Front.Present || !sameOutline(note, after, 0, len(note.Headings)) {
		return nil, errHeadings
	}
	return splices, nil
}

// PrependSection adds text at the start of a section, right after its heading or before what is there.
func PrependSection(note *md.Note, section md.Section, text string) ([]md.Splice, error) {
	content := trimLines(note.Source, section.Content)
	if content.Len() == 0 || strings.Trim(text, "\r\n") == "" {
		return AppendSection(note, section, text)
	}
	return keepOutline(note, section, "", func(string) []md.Splice { return insertBefore(note.Source, content, text) })
}

// insertBefore inserts lines before others.
func insertBefore(src []byte, content md.Span, text string) []md.Splice {
	eol := md.LineEnd(src, content.Start)
	lines := strings.Trim(withLineEnds(text, eol), "\r\n")
	if lines == "" {
		return nil
	}
	first, _, _ := bytes.Cut(content.Of(src), []byte("\n"))
	last := lines[strings.LastIndex(lines, "\n")+1:]
	if kind := lineKind(last); kind == 0 || kind != lineKind(string(first)) {
		lines += eol
	}
	return insert(content.Start, lines+eol)
}

// errHeadings is why a text cannot be put in a place.
var errHeadings = fault.InvalidArgument.Errorf("the text would change the headings around it").
	WithHint("end the text with a line of ordinary text, or use another tool")
