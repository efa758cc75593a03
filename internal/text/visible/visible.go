// Package visible makes text from files and networks safe to print on a terminal: characters that a terminal would
// obey, or that would hide what a line says, become visible ones.
package visible

import (
	"strconv"
	"strings"
	"unicode"
)

// Line returns a line in which control characters and marks of text direction are replaced by visible ones.
func Line(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return r
		case r < ' ':
			return 0x2400 + r // its picture
		case r == 0x7f:
			return 0x2421
		case r > 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return unicode.ReplacementChar
		}
		return r
	}, line)
}

// Name returns a name as it is or, if some of its characters cannot be seen, quoted as in Go source.
func Name(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(name)
	}
	return name
}
