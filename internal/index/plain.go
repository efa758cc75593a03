package index

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Markup that a snippet leaves out and that few snippets have.
var (
	delimiterRow = regexp.MustCompile(`^[ \t>]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)
	markdownLink = regexp.MustCompile(`!?\[([^\[\]\n]*)\]\([^()\n]*\)`)
)

// Plain returns a piece of Markdown as a reader sees it, on one line: without the marks of headings, quotes, code blocks,
// tables, links and emphasis. It is for a piece that may start and end anywhere, so it does not scan the note.
func Plain(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	for line := range strings.SplitSeq(text, "\n") {
		if shown := plainLine(line); shown != "" {
			out.WriteString(shown)
			out.WriteByte('\n')
		}
	}
	text = out.String()
	if strings.Contains(text, "[[") || strings.Contains(text, "]]") {
		text = withoutWikilinks(text)
	}
	if strings.Contains(text, "](") {
		text = markdownLink.ReplaceAllString(text, "$1")
	}
	return joinFields(withoutEmphasis(text))
}

// plainLine returns a line without the marks at its start and the bars of a table.
func plainLine(line string) string {
	rest := strings.TrimLeft(line, " \t>")
	if strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "~~~") || strings.Contains(line, "--") && delimiterRow.MatchString(line) {
		return ""
	}
	isTable := strings.HasPrefix(rest, "|") && !strings.Contains(line[:len(line)-len(rest)], ">")
	if text := strings.TrimLeft(rest, "#"); len(rest)-len(text) <= 6 && len(text) < len(rest) && strings.TrimLeft(text, " \t") != text {
		rest = text
	} else if end := strings.IndexByte(rest, ']'); end >= 0 && strings.HasPrefix(rest, "[!") {
		rest = strings.TrimLeft(rest[end+1:], "+-")
	}
	if isTable {
		return strings.ReplaceAll(unbarred(rest), "|", " ")
	}
	return rest
}

// unbarred replaces the links of a row of a table by what they show, because their bars do not separate cells.
func unbarred(row string) string {
	if strings.Contains(row, "[[") {
		return withoutWikilinks(row)
	}
	return row
}

// withoutWikilinks replaces wikilinks by what they show. A link may begin before the text, or end after it.
func withoutWikilinks(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	for {
		start, end := strings.Index(text, "[["), strings.Index(text, "]]")
		switch {
		case end >= 0 && (start < 0 || end < start): // the end of a link that starts before the piece
			if out.Len() == 0 {
				text = text[strings.LastIndexByte(text[:end], '|')+1:]
				end = strings.Index(text, "]]")
			}
			out.WriteString(text[:end])
			text = text[end+2:]
		case start < 0:
			out.WriteString(text)
			return out.String()
		default:
			out.WriteString(strings.TrimSuffix(text[:start], "!"))
			text = text[start+2:]
			if end < 0 {
				continue
			}
			inner := text[:end-start-2]
			if strings.ContainsAny(inner, "[]\n") {
				continue
			}
			out.WriteString(shownBy(inner))
			text = text[end-start:]
		}
	}
}

// shownBy returns what a wikilink shows: its alias, or its target.
func shownBy(inner string) string {
	if bar := strings.LastIndexByte(inner, '|'); bar >= 0 {
		return inner[bar+1:]
	}
	return strings.ReplaceAll(strings.TrimPrefix(inner, "#"), "#", " > ")
}

// withoutEmphasis leaves out the marks of emphasis, strike-through and highlighting: runs that touch a word on one side.
func withoutEmphasis(text string) string {
	if !strings.ContainsAny(text, "*_~=") {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	before := ' '
	for i := 0; i < len(text); {
		mark := text[i]
		if mark != '*' && mark != '_' && mark != '~' && mark != '=' {
			r, size := utf8.DecodeRuneInString(text[i:])
			out.WriteString(text[i : i+size])
			before = r
			i += size
			continue
		}
		end := i
		for end < len(text) && text[end] == mark {
			end++
		}
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !isEmphasis(mark, end-i, before, after) {
			out.WriteString(text[i:end])
			before = rune(mark)
		}
		i = end
	}
	return out.String()
}

// joinFields puts the words of a text on one line, with a space between them.
func joinFields(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	for word := range strings.FieldsSeq(text) {
		if out.Len() > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(word)
	}
	return out.String()
}

// isEmphasis reports whether a run of a mark opens or closes emphasis between two characters.
func isEmphasis(mark byte, length int, before, after rune) bool {
	if length > 3 || (mark == '~' || mark == '=') && length != 2 {
		return false
	}
	opens := !isSpace(after) && (isSpace(before) || unicode.IsPunct(before))
	closes := !isSpace(before) && (isSpace(after) || unicode.IsPunct(after))
	inside := !isSpace(before) && !isSpace(after) && mark != '_' && length > 1
	return opens || closes || inside
}

// isSpace reports whether a character separates words; so does the end of the text.
func isSpace(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) }
