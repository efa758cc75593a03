package fold

import (
	"unicode"
	"unicode/utf8"
)

// RuneKind is the role of a character in cutting text into words.
type RuneKind uint8

const (
	Other  RuneKind = iota // space, punctuation, symbols
	Letter                 // of a script that puts spaces between words
	Digit                  // or another character with a numeric value
	CJK                    // of a script whose words cannot be cut at spaces
	Mark                   // combines with the character before it
)

// Kind returns the kind of a character. CJK includes Han, kana and Bopomofo, Hangul, whose words have many endings,
// and Thai, Lao, Khmer and Myanmar with their vowel signs, which do not put spaces between words.
func Kind(r rune) RuneKind {
	if uint32(r) < utf8.RuneSelf {
		return asciiKinds[r]
	}
	if uint32(r) > utf8.MaxRune {
		return Other
	}
	return pageOf(r).kinds[uint32(r)%pageSize]
}

// IsWord reports whether words can contain a character: a letter, digit or mark of any script, or the underscore.
func IsWord(r rune) bool { return r == '_' || Kind(r) != Other }

var asciiKinds = func() (kinds [utf8.RuneSelf]RuneKind) {
	for c := range kinds {
		kinds[c] = kindOf(rune(c))
	}
	return kinds
}()

var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func kindOf(r rune) RuneKind {
	switch {
	case IsUnified(r), unicode.Is(unicode.Han, r):
		return CJK
	case unicode.IsNumber(r):
		return Digit
	case unicode.IsLetter(r), unicode.IsMark(r):
	default:
		return Other
	}
	// Both kana share the mark of long vowels, so Unicode assigns it to neither script.
	if r == 'ー' || r == 'ｰ' || unicode.In(r, unspaced...) {
		return CJK
	}
	if unicode.IsMark(r) {
		return Mark
	}
	return Letter
}
