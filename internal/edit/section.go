package edit

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/md"
)

// FindSection finds the section that a name means. A heading whose whole text
// matches wins; else A/B or A#B is B somewhere under A. Text as written is
// preferred to text that differs in case, and that to text that differs in
// punctuation. Several matches are an error that lists them as A[1], A[2]:
// names of that form are understood too.
func FindSection(note *md.Note, name string) (md.Section, error) {
	wanted := strings.TrimSpace(name)
	for _, read := range []func(string) ([]string, int){asWhole, asNumbered, asPath, asNumberedPath} {
		chain, number := read(wanted)
		if chain == nil {
			continue
		}
		found := matchChain(note, chain)
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
	return md.Section{}, fault.NotFound.Errorf("section %q not found", name)
}

// The readings of a name: a chain of headings, and which of several matches.

func asWhole(name string) ([]string, int) { return []string{name}, 0 }

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

// matchChain lists the headings that the chain's last name means: those under
// a match of the name before it, and so on.
func matchChain(note *md.Note, chain []string) []int {
	last := chain[len(chain)-1]
	for _, same := range sameness {
		var found []int
		for i := range note.Headings {
			if same(headingText(note, i), last) && underChain(note, i, chain[:len(chain)-1]) {
				found = append(found, i)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// sameness is how headings are compared, strictest first.
var sameness = []func(a, b string) bool{
	func(a, b string) bool { return a == b },
	strings.EqualFold,
	func(a, b string) bool { return md.FoldHeading(a) == md.FoldHeading(b) },
}

func headingText(note *md.Note, index int) string {
	return string(note.Headings[index].Text.Of(note.Source))
}

// underChain reports whether the heading lies under the chain's headings, each
// of them under the one before.
func underChain(note *md.Note, index int, chain []string) bool {
	level := note.Headings[index].Level
	for i := index - 1; i >= 0 && len(chain) > 0; i-- {
		above := note.Headings[i]
		if above.Level >= level {
			continue
		}
		level = above.Level
		if md.FoldHeading(headingText(note, i)) == md.FoldHeading(chain[len(chain)-1]) {
			chain = chain[:len(chain)-1]
		}
	}
	return len(chain) == 0
}

func ambiguous(note *md.Note, name string, found []int) error {
	choices := make([]string, len(found))
	for i, heading := range found {
		choices[i] = fmt.Sprintf("%s[%d] (line %d)", name, i+1, note.Headings[heading].Line)
	}
	return fault.AmbiguousName.Errorf("several sections are called %q: %s", name, strings.Join(choices, ", ")).
		WithHint("name one of them as %s[1], or by its parent as Parent/%s", name, name)
}

// SectionText is the section without its heading, outer blank lines trimmed.
func SectionText(note *md.Note, section md.Section) string {
	return string(trimLines(note.Source, section.Content).Of(note.Source))
}

// AppendSection adds text at the section's end, before the blank lines that
// part it from the next one. A blank line comes between, unless a list or a
// table goes on.
func AppendSection(note *md.Note, section md.Section, text string) []md.Splice {
	src := note.Source
	content := trimLines(src, section.Content)
	eol := md.LineEnd(src, content.End)
	lines := strings.Trim(withLineEnds(text, eol), "\r\n")
	if lines == "" {
		return nil
	}
	if content.Len() == 0 {
		return insertLines(src, section.Content.Start, lines)
	}
	separator := eol
	if !continues(src, content, lines) {
		separator += eol
	}
	return insert(content.End, separator+lines)
}

// continues reports whether text goes on with the list or the table that the
// content ends in.
func continues(src []byte, content md.Span, text string) bool {
	last := src[max(content.Start, md.LineStart(src, content.End)):content.End]
	first, _, _ := strings.Cut(text, "\n")
	kind := lineKind(string(last))
	return kind != 0 && kind == lineKind(first)
}

// lineKind tells list items and table rows from other lines.
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

// UpdateSection replaces what stands under the section's heading; the blank
// lines around it stay.
func UpdateSection(note *md.Note, section md.Section, content string) []md.Splice {
	src := note.Source
	old := trimLines(src, section.Content)
	text := strings.Trim(withLineEnds(content, md.LineEnd(src, section.Content.Start)), "\r\n")
	switch {
	case old.Len() == 0 && text == "":
		return nil
	case old.Len() == 0:
		return insertLines(src, section.Content.Start, text)
	case string(old.Of(src)) == text:
		return nil
	}
	return []md.Splice{{Span: old, Text: []byte(text)}}
}

// DeleteSection takes the section out with its heading.
func DeleteSection(note *md.Note, section md.Section) []md.Splice {
	return []md.Splice{{Span: section.Span}}
}

// trimLines takes blank lines off both ends of a span, and the line end of
// its last line.
func trimLines(src []byte, span md.Span) md.Span {
	for span.Start < span.End {
		next := min(md.NextLine(src, span.Start), span.End)
		if !isBlank(src[span.Start:next]) {
			break
		}
		span.Start = next
	}
	span.End = span.Start + len(bytes.TrimRight(src[span.Start:span.End], " \t\r\n"))
	return span
}
