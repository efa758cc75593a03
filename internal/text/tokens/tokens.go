// Package tokens estimates how many tokens of a language model a text takes. No two models agree, so an estimate that
// errs on the safe side is as good as any: four bytes of Latin text make a token, and so does every letter of a script
// without spaces.
package tokens

import (
	"unicode"
	"unicode/utf8"
)

// Bytes is how many bytes of other scripts make a token.
const Bytes = 4

// Of estimates the tokens of a text.
func Of(text []byte) int {
	quarters := 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			quarters++
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		quarters += cost(r, size)
		i += size
	}
	return (quarters + Bytes - 1) / Bytes
}

// Fit returns the length of the longest beginning of a text of at most that many tokens. It ends between
// characters.
func Fit(text []byte, most int) int {
	left := most * Bytes
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if left -= cost(r, size); left < 0 {
			return i
		}
		i += size
	}
	return len(text)
}

// cost is what a character takes, in quarters of a token.
func cost(r rune, size int) int {
	if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
		return Bytes
	}
	return size
}
