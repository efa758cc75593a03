// Package publish turns a note into a file for a Git host, which knows plain Markdown and shows it to people who do not
// have the vault.
//
// A link to a note that the repository has too becomes a relative Markdown link to its file there. Any other link into the
// vault becomes plain text, so that no path of the vault leaks, and an embed becomes its name. Comments are removed because
// they are private, and block ids because only Obsidian understands them. Web links and everything inside code stay.
//
// The package does no I/O; the caller says how links resolve and which notes the repository has.
package publish

import (
	"bytes"
	"regexp"
	"slices"

	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
)

// URLProperty is the property that holds the address of the published file. The file itself does not have it.
const URLProperty = "github"

// Source is the vault around a note.
type Source struct {
	Path    vpath.Path                             // of the note
	Resolve func(link string) (vpath.Path, bool)   // the file that a link in the note names
	File    func(path vpath.Path) (string, bool)   // the file of a note in the repository, if it has one there
	Read    func(path vpath.Path) (*md.Note, bool) // another note that the repository has
}

// Result is the file for a note, and what is missing from it.
type Result struct {
	Text     []byte
	Links    int // links that became plain text
	Embeds   int // embeds that became a name
	Comments int // comments that were removed
}

// Convert returns the file for a note.
func Convert(source Source, text []byte) (Result, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	original := md.Scan(text)
	c := &converter{source: source, outlines: map[vpath.Path]*outline{source.Path: {note: original}}}
	splices, err := edit.RemoveProperty(original, URLProperty)
	if err != nil {
		return Result{}, err
	}
	text = md.Apply(text, splices)
	note := md.Scan(text)
	c.result.Comments = len(commentsOf(note))
	text = md.Apply(text, removePrivate(note))
	note = md.Scan(text)
	text = md.Apply(text, append(c.properties(note), c.body(note)...))
	text = md.Apply(text, c.unquoted(md.Scan(text)))
	c.result.Text = withoutWikilinks(text)
	return c.result, nil
}

// converter is one conversion.
type converter struct {
	source   Source
	outlines map[vpath.Path]*outline // of the notes that links lead to
	result   Result
}

// removePrivate removes comments and block ids.
func removePrivate(note *md.Note) []md.Splice {
	comments := commentsOf(note)
	spans := append(comments, idsOf(note, comments)...)
	order.By(spans, func(a, b md.Span) int { return a.Start - b.Start })
	return remove(note, spans)
}

// commentsOf returns the comments of a note, in order, without the end of their last line.
func commentsOf(note *md.Note) []md.Span {
	var comments []md.Span
	for _, region := range note.Regions {
		if region.Kind != md.CommentBlock && region.Kind != md.CommentSpan {
			continue
		}
		for len(comments) > 0 && comments[len(comments)-1].Start >= region.Start {
			comments = comments[:len(comments)-1] // it is inside this one
		}
		text := bytes.TrimRight(region.Of(note.Source), "\r\n")
		comments = append(comments, md.Span{Start: region.Start, End: region.Start + len(text)})
	}
	return comments
}

// idsOf returns the marks of the block ids outside of comments, with the white space before them.
func idsOf(note *md.Note, comments []md.Span) []md.Span {
	var marks []md.Span
	for _, id := range note.IDs {
		mark := md.Span{Start: id.Name.Start - 1, End: id.Name.End}
		for mark.Start > 0 && isWhite(note.Source[mark.Start-1]) {
			mark.Start--
		}
		for len(comments) > 0 && comments[0].End <= mark.Start {
			comments = comments[1:]
		}
		if len(comments) == 0 || mark.End <= comments[0].Start {
			marks = append(marks, mark)
		}
	}
	return marks
}

// remove removes spans, given in order. It removes a line with nothing else on it as a whole, and one of the blank lines
// around it.
func remove(note *md.Note, spans []md.Span) []md.Splice {
	src := note.Source
	splices := make([]md.Splice, len(spans))
	end := note.Body
	for i, span := range spans {
		start, isFirst := lineBefore(src, span.Start)
		next, isLast := lineAfter(src, span.End)
		if isFirst && isLast && start >= end {
			span = md.Span{Start: start, End: next}
			_, blankBefore := lineBefore(src, max(start-1, 0))
			if after, blankAfter := lineAfter(src, next); blankAfter && (blankBefore || start <= note.Body) {
				span.End = after
			}
		}
		span.Start = max(span.Start, end)
		span.End = max(span.End, span.Start)
		end = span.End
		splices[i] = md.Splice{Span: span}
	}
	return splices
}

// lineBefore returns where the line of an offset starts, if there is only white space before the offset.
func lineBefore(src []byte, at int) (start int, isBlank bool) {
	for at > 0 && (isWhite(src[at-1]) || src[at-1] == '\r') {
		at--
	}
	return at, at == 0 || src[at-1] == '\n'
}

// lineAfter returns where the next line starts, if there is only white space before it.
func lineAfter(src []byte, at int) (next int, isBlank bool) {
	for at < len(src) && (isWhite(src[at]) || src[at] == '\r') {
		at++
	}
	if at < len(src) && src[at] == '\n' {
		return at + 1, true
	}
	return at, at == len(src)
}

func isWhite(c byte) bool { return c == ' ' || c == '\t' }

// withoutWikilinks escapes the brackets in a text if some have become a wikilink, because a link between further brackets
// was replaced.
func withoutWikilinks(text []byte) []byte {
	note := md.Scan(text)
	if !slices.ContainsFunc(note.Links, func(link md.Link) bool { return link.Kind == md.WikiLink }) {
		return text
	}
	var splices []md.Splice
	for _, at := range doubleBracket.FindAllIndex(text[note.Body:], -1) {
		span := md.Span{Start: note.Body + at[0], End: note.Body + at[1]}
		if span.Start > 0 && text[span.Start-1] == '\\' {
			span.Start++
		}
		if !inRegion(note, span.Start) {
			splices = append(splices, md.Splice{Span: span, Text: bytes.Repeat([]byte(`\[`), span.Len())})
		}
	}
	return md.Apply(text, splices)
}

var doubleBracket = regexp.MustCompile(`\[{2,}`)

// inRegion reports whether a place is in code, math or HTML, where a backslash would be shown.
func inRegion(note *md.Note, at int) bool {
	next, _ := slices.BinarySearchFunc(note.Regions, at+1, func(region md.Region, end int) int { return region.End - end })
	return next < len(note.Regions) && note.Regions[next].Start <= at
}
