package value

import (
	"strings"
	"unicode/utf16"
)

// UTF16Len is the length of a text in UTF-16 units, in which JavaScript counts.
func UTF16Len(text string) int {
	length := 0
	for _, r := range text {
		length++
		if r > 0xFFFF {
			length++
		}
	}
	return length
}

// UTF16 returns the UTF-16 units of a text.
func UTF16(text string) []uint16 { return utf16.Encode([]rune(text)) }

// FromUTF16 makes a text of UTF-16 units.
func FromUTF16(units []uint16) string { return string(utf16.Decode(units)) }

// IsTagOrBelow reports whether a tag is another one or below it. Letter case does not matter, nor does #.
func IsTagOrBelow(tag, wanted string) bool {
	tag, wanted = strings.TrimPrefix(tag, "#"), strings.TrimPrefix(wanted, "#")
	return len(tag) >= len(wanted) && strings.EqualFold(tag[:len(wanted)], wanted) && (len(tag) == len(wanted) || tag[len(wanted)] == '/')
}
