package format

import (
	"strings"
	"unicode"
)

// lower applies Unicode's full lower-casing, as JavaScript does: strings.ToLower handles neither a final sigma nor the
// letter İ, which becomes two.
func lower(text string) string {
	if !strings.ContainsAny(text, "Σİ") {
		return strings.ToLower(text)
	}
	var out strings.Builder
	letters := []rune(text)
	for at, letter := range letters {
		switch {
		case letter == 'İ':
			out.WriteString("i\u0307")
		case letter == 'Σ' && meetsCased(letters, at, -1) && !meetsCased(letters, at, 1):
			out.WriteRune('ς')
		default:
			out.WriteRune(unicode.ToLower(letter))
		}
	}
	return out.String()
}

// meetsCased reports whether the next letter in a direction is a cased one, skipping characters that may occur within
// a word.
func meetsCased(letters []rune, at, step int) bool {
	for at += step; at >= 0 && at < len(letters); at += step {
		if !isPassedOver(letters[at]) {
			return unicode.IsUpper(letters[at]) || unicode.IsLower(letters[at]) || unicode.IsTitle(letters[at]) ||
				unicode.In(letters[at], unicode.Other_Lowercase, unicode.Other_Uppercase)
		}
	}
	return false
}

// isPassedOver reports whether Unicode calls a character case-ignorable: marks, modifiers, and punctuation within words.
func isPassedOver(letter rune) bool {
	return unicode.In(letter, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune("':.\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a", letter)
}
