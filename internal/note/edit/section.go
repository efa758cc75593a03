package edit

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
)

// FindSection finds a section by name. It prefers a heading whose full text matches; otherwise A/B or A#B means B
// anywhere under A. It prefers an exact match to one that differs in case, and that to one that differs in punctuation.
// Several matches are an error, which lists them as A[1], A[2]; FindSection also accepts such names.
func FindSection(note *md.Note, name string) (md.Section, error) {
	wanted := strings.TrimSpace(name)
	parents := parentsOf(note)
	// Punctuation is ignored only in the last round, because /, # and [1] have a meaning.
	for _, same := range comparisons {
		for _, read := range []func(string) ([]string, int){asHeading, asNumbered, asPath, asNumberedPath} {
			chain, number := read(wanted)
			if chain == nil {
				continue
			}
			found := matchChain(note, chain, parents, same)
			switch {
			case len(found) == 0 || number > len(found):
			case number > 0:
				return note.SectionOf(found[number-1]), nil
			case len(found) == 1:
				return note.SectionOf(found[0]), nil
			default:
				return md.Section{}, ambiguous(note, wanted, found)
			}
		}
	}
	return md.Section{}, fault.NotFound.Errorf("section %q not found", name)
}

// The ways to read a name: each returns a chain of headings, and which of several matches is meant, or 0.

func asHeading(name string) ([]string, int) { return []string{name}, 0 }

func asNumbered(name string) ([]string, int) {
	rest, ok := strings.CutSuffix(name, "]")
	open := strings.LastIndexByte(rest, '[')
	if !ok || open < 1 {
		return nil, 0
	}
	number, err := strconv.Atoi(rest[open+1:])
	if err != nil || number < 1 {
		return nil, 0
	}
	return []string{rest[:open]}, number
}

func asPath(name string) ([]string, int) {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '#' })
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if len(parts) < 2 && !strings.HasPrefix(name, "#") || len(parts) == 0 {
		return nil, 0
	}
	return parts, 0
}

func asNumberedPath(name string) ([]string, int) {
	chain, number := asNumbered(name)
	if chain == nil {
		return nil, 0
	}
	parts, _ := asPath(chain[0])
	return parts, number
}

// comparison returns a function that compares headings with a name.
type comparison func(name string) func(heading string) bool

// matchChain returns the headings that match the last name of the chain and lie under matches of the other names.
func matchChain(note *md.Note, chain []string, parents []int, same comparison) []int {
	last := same(chain[len(chain)-1])
	above := make([]string, len(chain)-1)
	for i := range above {
		above[i] = md.FoldHeading(chain[i])
	}
	var found []int
	for i := range note.Headings {
		if last(headingText(note, i)) && underChain(note, i, above, parents) {
			found = append(found, i)
		}
	}
	return found
}

// comparisons lists the ways to compare headings, the strictest first.
var comparisons = []comparison{
	func(name string) func(string) bool {
		return func(heading string) bool { return heading == name }
	},
	func(name string) func(string) bool {
		return func(heading string) bool { return strings.EqualFold(heading, name) }
	},
	func(name string) func(string) bool {
		folded := md.FoldHeading(name)
		return func(heading string) bool { return folded != "" && md.FoldHeading(heading) == folded }
	},
}

func headingText(note *md.Note, index int) string {
	return string(note.Headings[index].Text.Of(note.Source))
}

// parentsOf returns the index of each heading's parent, or -1.
func parentsOf(note *md.Note) []int {
	parents := make([]int, len(note.Headings))
	for i := range note.Headings {
		parent := i - 1
		for parent >= 0 && note.Headings[parent].Level >= note.Headings[i].Level {
			parent = parents[parent]
		}
		parents[i] = parent
	}
	return parents
}

// underChain reports whether a heading lies under all headings of the chain, which are folded and nested in this order.
func underChain(note *md.Note, index int, chain []string, parents []int) bool {
	for i := parents[index]; i >= 0 && len(chain) > 0; i = parents[i] {
		if md.FoldHeading(headingText(note, i)) == chain[len(chain)-1] {
			chain = chain[:len(chain)-1]
		}
	}
	return len(chain) == 0
}

// maxChoices is how many sections the error lists.
const maxChoices = 20

func ambiguous(note *md.Note, name string, found []int) error {
	var choices []string
	for i, heading := range found {
		if i == maxChoices {
			choices = append(choices, fmt.Sprintf("and %d more", len(found)-i))
			break
		}
		choices = append(choices, fmt.Sprintf("%s[%d] (line %d)", name, i+1, note.Headings[heading].Line))
	}
	return fault.AmbiguousName.Errorf("several sections are called %q: %s", name, strings.Join(choices, ", ")).
		WithHint("use %s[1], or name its parent: Parent/%s", name, name)
}

// SectionText returns the content of a section without its heading and without blank lines around it.
func SectionText(note *md.Note, section md.Section) string {
	return strings.TrimRight(string(SectionSpan(note, section).Of(note.Source)), " \t")
}

// SectionSpan is where the text of a section is, without its heading and without blank lines around it.
func SectionSpan(note *md.Note, section md.Section) md.Span {
	return trimLines(note.Source, section.Content)
}

// AppendSection adds text at the end of a section, before the blank lines that separate it from the next one. It inserts
// a blank line before the text unless the text continues a list or a table.
func AppendSection(note *md.Note, section md.Section, text string) ([]md.Splice, error) {
	src := note.Source
	content := trimLines(src, section.Content)
	eol := md.LineEnd(src, content.End)
	lines := strings.Trim(withLineEnds(text, eol), "\r\n")
	if lines == "" {
		return nil, nil
	}
	return keepOutline(note, section, eol, func(gap string) []md.Splice {
		if content.Len() == 0 {
			return insertLines(src, section.Content.Start, lines, gap)
		}
		separator := eol
		if !continues(src, content, lines) {
			separator += eol
		}
		return insert(content.End, separator+lines+gap)
	})
}

// keepOutline edits a section and ensures that the headings around it stay: the new text must not merge with the heading
// that follows it. Usually a blank line between them, the gap, is enough; if not, keepOutline rejects the edit.
func keepOutline(
	note *md.Note, section md.Section, eol string, edit func(gap string) []md.Splice,
) ([]md.Splice, error) {
	last := section.Heading
	for last < len(note.Headings) && note.Headings[last].Start < section.End {
		last++
	}
	for _, gap := range []string{"", eol} {
		splices := edit(gap)
		after := md.Scan(md.Apply(note.Source, splices))
		if sameOutline(note, after, section.Heading, len(note.Headings)-last) {
			return splices, nil
		}
	}
	return nil, fault.InvalidArgument.Errorf("the text would change the headings around the section").
		WithHint("end the text with a line of ordinary text, or use another tool")
}

// sameOutline compares the first and the last headings of two notes.
func sameOutline(before, after *md.Note, first, last int) bool {
	if len(after.Headings) < first+last {
		return false
	}
	same := func(i, j int) bool {
		return before.Headings[i].Level == after.Headings[j].Level && headingText(before, i) == headingText(after, j)
	}
	for i := range first {
		if !same(i, i) {
			return false
		}
	}
	for i := 1; i <= last; i++ {
		if !same(len(before.Headings)-i, len(after.Headings)-i) {
			return false
		}
	}
	return true
}

// continues reports whether text continues the list or the table at the end of the content.
func continues(src []byte, content md.Span, text string) bool {
	last := src[max(content.Start, md.LineStart(src, content.End)):content.End]
	first, _, _ := strings.Cut(text, "\n")
	kind := lineKind(string(last))
	return kind != 0 && kind == lineKind(first)
}

// lineKind returns '-' for a list item, '|' for a table row and 0 for any other line.
func lineKind(line string) byte {
	line = strings.TrimSpace(line)
	bullet, _, spaced := strings.Cut(line, " ")
	switch {
	case strings.HasPrefix(line, "|"):
		return '|'
	case !spaced:
		return 0
	case bullet == "-" || bullet == "*" || bullet == "+":
		return '-'
	case strings.Trim(bullet, "0123456789") == "." || strings.Trim(bullet, "0123456789") == ")":
		return '-'
	}
	return 0
}

// UpdateSection replaces the content under the heading of a section. The blank lines around it stay.
func UpdateSection(note *md.Note, section md.Section, content string) ([]md.Splice, error) {
	src := note.Source
	old := trimLines(src, section.Content)
	eol := md.LineEnd(src, section.Content.Start)
	text := strings.Trim(withLineEnds(content, eol), "\r\n")
	if strings.TrimRight(string(old.Of(src)), " \t") == strings.TrimRight(text, " \t") {
		return nil, nil
	}
	return keepOutline(note, section, eol, func(gap string) []md.Splice {
		if old.Len() == 0 {
			return insertLines(src, section.Content.Start, text, gap)
		}
		return []md.Splice{{Span: old, Text: []byte(text + gap)}}
	})
}

// DeleteSection removes a section and its heading.
func DeleteSection(note *md.Note, section md.Section) ([]md.Splice, error) {
	return keepOutline(note, section, md.LineEnd(note.Source, section.Start), func(gap string) []md.Splice {
		return []md.Splice{{Span: section.Span, Text: []byte(gap)}}
	})
}

// trimLines returns the span without blank lines at its ends and without the line end of its last line.
func trimLines(src []byte, span md.Span) md.Span {
	for span.Start < span.End {
		next := min(md.NextLine(src, span.Start), span.End)
		if !isBlank(src[span.Start:next]) {
			break
		}
		span.Start = next
	}
	limit := span.End
	span.End = span.Start + len(bytes.TrimRight(src[span.Start:span.End], " \t\r\n"))
	for span.End > span.Start && span.End < limit && (src[span.End] == ' ' || src[span.End] == '\t') {
		span.End++ // trailing spaces are a hard line break
	}
	return span
}
