package fold

import (
	"unicode"
	"unicode/utf8"
)

// RuneKind says what a character is to someone who cuts text into words.
type RuneKind uint8

// The kinds of character.
const (
	Other  RuneKind = iota // space, punctuation, symbols
	Letter                 // of a script that puts spaces between words
	Digit                  // and other characters with a number's value
	CJK                    // of a script whose words cannot be cut at spaces
	Mark                   // belongs to the character before it
)

// Kind is the kind of a character. CJK stands for Han, kana, Bopomofo and also
// Hangul, whose words end in many forms, and for Thai, Lao, Khmer and Myanmar
// with their vowel signs, which put no spaces between words.
func Kind(r rune) RuneKind {
	if uint32(r) < utf8.RuneSelf {
		return asciiKinds[r]
	}
	if uint32(r) > utf8.MaxRune {
		return Other
	}
	return pageOf(r).kinds[uint32(r)%pageSize]
}

// IsWord reports a character that words are made of: a letter, digit or mark
// of any script, or the underscore.
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
	case isUnified(r), unicode.Is(unicode.Han, r):
		return CJK
	case unicode.IsNumber(r):
		return Digit
	case unicode.IsLetter(r), unicode.IsMark(r):
	default:
		return Other
	}
	// The mark of long vowels is shared by both kana, and so of no script.
	if r == 'ー' || r == 'ｰ' || unicode.In(r, unspaced...) {
		return CJK
	}
	if unicode.IsMark(r) {
		return Mark
	}
	return Letter
}
