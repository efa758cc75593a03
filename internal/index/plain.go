package index

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Markup of whole lines and of links, which a snippet leaves out.
var (
	fenceLine     = regexp.MustCompile("(?m)^[ \\t>]*(?:```+|~~~+).*$")
	delimiterRow  = regexp.MustCompile(`(?m)^[ \t>]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)
	lineStart     = regexp.MustCompile(`(?m)^(?:[ \t]*>)*[ \t]*(?:#{1,6}[ \t]+|\[![^\]\n]*\][+-]?[ \t]*)?`)
	tableRow      = regexp.MustCompile(`(?m)^[ \t]*\|.*$`)
	wikilink      = regexp.MustCompile(`!?\[\[([^\[\]\n]*)\]\]`)
	markdownLink  = regexp.MustCompile(`!?\[([^\[\]\n]*)\]\([^()\n]*\)`)
	linkFragments = strings.NewReplacer("![[", "", "[[", "", "]]", "")
)

// plain returns a piece of Markdown as a reader sees it, on one line: without the marks of headings, quotes, code blocks,
// tables, links and emphasis. It is for a piece that may start and end anywhere, so it does not scan the note.
func plain(text string) string {
	if strings.Contains(text, "```") || strings.Contains(text, "~~~") {
		text = fenceLine.ReplaceAllString(text, "")
	}
	if strings.Contains(text, "--") {
		text = delimiterRow.ReplaceAllString(text, "")
	}
	if strings.ContainsAny(text, "#>") || strings.Contains(text, "[!") {
		text = lineStart.ReplaceAllString(text, "")
	}
	if strings.Contains(text, "]]") || strings.Contains(text, "[[") {
		text = withoutWikilinks(text)
	}
	if strings.Contains(text, "](") {
		text = markdownLink.ReplaceAllString(text, "$1")
	}
	if strings.Contains(text, "|") {
		text = tableRow.ReplaceAllStringFunc(text, func(row string) string { return strings.ReplaceAll(row, "|", " ") })
	}
	return strings.Join(strings.Fields(withoutEmphasis(text)), " ")
}

// withoutWikilinks replaces wikilinks by what they show.
func withoutWikilinks(text string) string {
	text = wikilink.ReplaceAllStringFunc(text, func(link string) string {
		inner := strings.TrimSuffix(strings.TrimLeft(link, "!["), "]]")
		if bar := strings.LastIndexByte(inner, '|'); bar >= 0 {
			return inner[bar+1:]
		}
		return strings.ReplaceAll(strings.TrimPrefix(inner, "#"), "#", " > ")
	})
	if end := strings.Index(text, "]]"); end >= 0 { // the end of a link that starts before the piece
		text = text[strings.LastIndexByte(text[:end], '|')+1:]
	}
	return linkFragments.Replace(text)
}

// withoutEmphasis leaves out the marks of emphasis, strike-through and highlighting: runs that touch a word on one side.
func withoutEmphasis(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	before := ' '
	for i := 0; i < len(text); {
		if !strings.ContainsRune("*_~=", rune(text[i])) {
			r, size := utf8.DecodeRuneInString(text[i:])
			out.WriteString(text[i : i+size])
			before = r
			i += size
			continue
		}
		end := i
		for end < len(text) && text[end] == text[i] {
			end++
		}
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !isEmphasis(text[i], end-i, before, after) {
			out.WriteString(text[i:end])
			before = rune(text[i])
		}
		i = end
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
