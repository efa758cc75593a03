package regex

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error says what is wrong with a pattern, and where.
type Error struct {
	Offset  int // in bytes, into the pattern
	Message string
}

func (e *Error) Error() string { return e.Message }

func errorf(offset int, format string, args ...any) *Error {
	return &Error{Offset: offset, Message: fmt.Sprintf(format, args...)}
}

// shown is how many characters of a long pattern Pointer shows on either side of the offset.
const shown = 30

// Pointer shows where the mistake is: a line with the pattern, or the part of it around the mistake if it is long,
// and a line with a caret. Columns count characters.
func (e *Error) Pointer(pattern string) string {
	at := min(max(e.Offset, 0), len(pattern))
	before, cutBefore := lastRunes(pattern[:at], shown)
	after, cutAfter := firstRunes(pattern[at:], shown)
	var line strings.Builder
	if cutBefore {
		line.WriteString("…")
	}
	line.WriteString(visible(before))
	column := utf8.RuneCountInString(line.String())
	line.WriteString(visible(after))
	if cutAfter {
		line.WriteString("…")
	}
	return line.String() + "\n" + strings.Repeat(" ", column) + "^"
}

func lastRunes(text string, n int) (part string, cut bool) {
	i := len(text)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
	}
	return text[i:], i > 0
}

func firstRunes(text string, n int) (part string, cut bool) {
	i := 0
	for ; n > 0 && i < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return text[:i], i < len(text)
}

// visible replaces each character that is not printable by one that is, so that columns stay the same.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return '␊'
		case r == '\r':
			return '␍'
		case r == '\t':
			return '␉'
		case unicode.IsPrint(r):
			return r
		}
		return '\ufffd'
	}, text)
}
