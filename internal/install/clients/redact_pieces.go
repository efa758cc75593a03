package clients

import (
	"strings"

	"obsidian-mcp/internal/install/entry"
)

// piecesOf splits a text into tokens: comments, quoted strings, bare words, white space and marks. A regular expression
// would do, but takes seconds for the files of some clients.
func piecesOf(text string, format entry.Format) []string {
	length := jsonPiece
	if format == entry.TOML {
		length = tomlPiece
	}
	var pieces []string
	for text != "" {
		n := length(text)
		pieces = append(pieces, text[:n])
		text = text[n:]
	}
	return pieces
}

// jsonPiece returns the length of the first token of a JSON text.
func jsonPiece(text string) int {
	const blanks, marks = " \t\r\n\f", `{}[],:"/`
	switch c := text[0]; {
	case c == '"':
		return quotedPiece(text)
	case strings.HasPrefix(text, "//"):
		return lineOf(text)
	case strings.HasPrefix(text, "/*"):
		if end := strings.Index(text[2:], "*/"); end >= 0 {
			return end + 4
		}
		return 1
	case strings.IndexByte(blanks, c) >= 0:
		return len(text) - len(strings.TrimLeft(text, blanks))
	case strings.IndexByte(marks, c) >= 0:
		return 1
	}
	if end := strings.IndexAny(text, blanks+marks); end >= 0 {
		return end
	}
	return len(text)
}

// tomlPiece returns the length of the first token of a TOML text. A line break is a separate token.
func tomlPiece(text string) int {
	const blanks = " \t\r"
	switch c := text[0]; {
	case c == '"' || c == '\'':
		if three := text[:1] + text[:1] + text[:1]; strings.HasPrefix(text, three) {
			return longPiece(text, three)
		}
		return quotedPiece(text)
	case c == '#':
		return lineOf(text)
	case strings.IndexByte(blanks, c) >= 0:
		return len(text) - len(strings.TrimLeft(text, blanks))
	}
	n := 0
	for n < len(text) && isWordOfTOML(text[n]) {
		n++
	}
	return max(n, 1)
}

func isWordOfTOML(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_.+:-", c) >= 0
}

// lineOf returns the length of the first line.
func lineOf(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}

// quotedPiece returns the length of a quoted string, or 1 if the string is not closed on its line.
func quotedPiece(text string) int {
	for n := 1; n < len(text) && text[n] != '\n'; n++ {
		switch {
		case text[n] == text[0]:
			return n + 1
		case text[n] == '\\' && text[0] == '"' && !strings.HasPrefix(text[n+1:], "\n"):
			n++
		}
	}
	return 1
}

// longPiece returns the length of a multi-line string in triple quotes. Its content may end in one or two quotes.
func longPiece(text, three string) int {
	for n := 3; n < len(text); n++ {
		switch {
		case text[n] == '\\' && three[0] == '"':
			n++
		case strings.HasPrefix(text[n:], three):
			end := n + 3
			for end < min(n+5, len(text)) && text[end] == three[0] {
				end++
			}
			return end
		}
	}
	return 1
}
