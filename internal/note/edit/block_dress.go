package edit

import (
	"strings"

	"obsidian-mcp/internal/note/md"
)

// dress gives the new text of a block the marks that the old text has and the new one lacks.
func dress(old string, kind md.BlockKind, text string) string {
	old = strings.ReplaceAll(old, "\r\n", "\n")
	switch kind {
	case md.Quote:
		return quoted(text)
	case md.CalloutBlock:
		return dressCallout(old, text)
	case md.Code, md.Math:
		return dressFenced(old, kind, text)
	case md.FootnoteBlock:
		return dressFootnote(old, text)
	}
	return text
}

// quoted prefixes the lines of a text with >, unless they have it.
func quoted(text string) string {
	lines := strings.Split(text, "\n")
	for _, line := range lines {
		if !strings.HasPrefix(strings.TrimLeft(line, " "), ">") {
			return prefixLines(text, "> ")
		}
	}
	return text
}

func prefixLines(text, prefix string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(prefix, " \t")
		if line != "" {
			lines[i] = prefix + line
		}
	}
	return strings.Join(lines, "\n")
}

// dressCallout keeps the line with the callout's type and title unless the text begins with one.
func dressCallout(old, text string) string {
	text = quoted(text)
	if strings.HasPrefix(strings.TrimLeft(text, "> "), "[!") {
		return text
	}
	title, _, _ := strings.Cut(old, "\n")
	return title + "\n" + text
}

// dressFenced puts text between the fences of the old text, or gives it the indent of indented code.
func dressFenced(old string, kind md.BlockKind, text string) string {
	if blocks := md.ScanText([]byte(text)).Blocks; len(blocks) == 1 && blocks[0].Kind == kind {
		return text
	}
	first, rest, several := strings.Cut(old, "\n")
	last := rest[strings.LastIndexByte(rest, '\n')+1:]
	switch {
	case several && isFence(kind, last) && (kind == md.Math || isFence(kind, first)):
		return first + "\n" + text + "\n" + last
	case kind == md.Math:
		return "$$" + text + "$$"
	}
	return prefixLines(text, first[:len(first)-len(strings.TrimLeft(first, " \t"))])
}

// isFence reports whether a line is a fence of code or math.
func isFence(kind md.BlockKind, line string) bool {
	line = strings.TrimSpace(line)
	switch kind {
	case md.Code:
		return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
	case md.Math:
		return line == "$$"
	}
	return false
}

// dressFootnote keeps the label of a footnote, and indents the lines after the first.
func dressFootnote(old, text string) string {
	label := strings.Index(old, "]:")
	if strings.HasPrefix(text, "[^") || label < 0 {
		return text
	}
	first, rest, several := strings.Cut(text, "\n")
	first = old[:label+2] + " " + first
	if !several {
		return first
	}
	return first + "\n" + prefixLines(rest, "    ")
}
