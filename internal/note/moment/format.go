// Package moment writes and reads dates in the formats of moment.js, which Obsidian and its plugins use for the names of
// daily notes and in templates.
//
// It knows every token, escapes as moment reads them, and the locales en and en-gb. Formats that people write by mistake
// give what moment gives: a letter that is a token is one, even in a word that is not in brackets.
//
// The package reads no clock and knows no time zones: the caller passes a wall-clock time and its offset.
package moment

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Time is what a clock on a wall shows, and how far it is ahead of UTC.
type Time struct {
	Date                              Date
	Hour, Minute, Second, Millisecond int
	Offset                            int // in minutes
}

// Format writes a time in a format.
func (l Locale) Format(t Time, format string) string {
	var out strings.Builder
	for _, part := range split(l.expand(format)) {
		if part.literal {
			out.WriteString(part.text)
		} else {
			out.WriteString(writers[part.text](l, t))
		}
	}
	return out.String()
}

// part is a token of a format, or text to be copied.
type part struct {
	text    string
	literal bool
	raw     string // as the format has it
}

// split reads a format. Line breaks outside of brackets vanish.
func split(format string) []part {
	var parts []part
	for format != "" {
		size := bracketed(format)
		switch {
		case size > 0:
			parts = append(parts, part{format[1 : size-1], true, format[:size]})
		case format[0] == '\\':
			size = 1 + tokenSize(format[1:])
			parts = append(parts, part{unbroken.Replace(format[1:size]), true, format[:size]})
		default:
			size = tokenSize(format)
			text := format[:size]
			isToken := writers[text] != nil
			if !isToken {
				text = unbroken.Replace(text)
			}
			parts = append(parts, part{text, !isToken, format[:size]})
		}
		format = format[size:]
	}
	return parts
}

// unbroken removes what a format loses outside of brackets.
var unbroken = strings.NewReplacer("\n", "", "\r", "", "\u2028", "", "\u2029", "", `\`, "")

// bracketed returns the length of the text in brackets that a format begins with, or 0: it ends with the last closing
// bracket before the next opening one.
func bracketed(format string) int {
	if format[0] != '[' {
		return 0
	}
	inside := format[1:]
	if next := strings.IndexByte(inside, '['); next >= 0 {
		inside = inside[:next]
	}
	end := strings.LastIndexByte(inside, ']')
	if end < 0 {
		return 0
	}
	return end + 2
}

// tokenSize returns the length of the longest token that a format begins with, else that of its first character.
func tokenSize(format string) int {
	for size := min(longestToken, len(format)); size > 0; size-- {
		if writers[format[:size]] != nil {
			return size
		}
	}
	_, size := utf8.DecodeRuneInString(format)
	return size
}

// expand replaces the tokens that stand for other formats. The replacement is read together with what is around it, as
// moment does: "LLYY" ends in a year of six digits.
func (l Locale) expand(format string) string {
	var out strings.Builder
	for format != "" {
		size := bracketed(format)
		if size == 0 {
			escape := len(format) - len(strings.TrimPrefix(format, `\`))
			long, tokenSize := l.longFormat(format[escape:])
			if tokenSize > 0 && escape == 0 {
				out.WriteString(long)
				format = format[tokenSize:]
				continue
			}
			size = max(1, escape+tokenSize)
		}
		out.WriteString(format[:size])
		format = format[size:]
	}
	return out.String()
}

// longFormat returns what the token that a format begins with stands for, and the token's length. In lower case it
// stands for the same with numbers unpadded and names short.
func (l Locale) longFormat(format string) (long string, size int) {
	for i, token := range longTokens {
		if strings.HasPrefix(format, token) {
			return l.long[i], len(token)
		}
		if lower := strings.ToLower(token); lower[len(lower)-1] == 'l' && strings.HasPrefix(format, lower) {
			return shortened.Replace(l.long[i]), len(token)
		}
	}
	return "", 0
}

// shortened makes a long format a short one.
var shortened = strings.NewReplacer("MMMM", "MMM", "MM", "M", "DD", "D", "dddd", "ddd")

// Unknown lists the letters of a format that are neither tokens nor in brackets: they stand for themselves, which is
// seldom what is meant.
func Unknown(format string) []string {
	var letters []string
	for _, part := range split(English().expand(format)) {
		isLetter := len(part.raw) == 1 && (part.raw[0]|0x20 >= 'a' && part.raw[0]|0x20 <= 'z')
		if part.literal && isLetter && !slices.Contains(letters, part.raw) {
			letters = append(letters, part.raw)
		}
	}
	return letters
}
