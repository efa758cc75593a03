package fold

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// foldRune computes the folded form of a character from the rules. It is slow, so the table keeps its results.
func foldRune(r rune) string {
	form := norm.NFD
	if isWidthForm(r) {
		form = norm.NFKD
	}
	var out []rune
	for _, part := range form.String(string(r)) {
		if own, ok := ownLetter(out, part); ok {
			out[len(out)-1] = own
			continue
		}
		if isDropped(part) {
			continue
		}
		part = simpleFold(part)
		if spelt, ok := spellings[part]; ok {
			out = append(out, []rune(spelt)...)
		} else {
			out = append(out, part)
		}
	}
	return norm.NFC.String(string(out))
}

// spellings are letters that Unicode does not decompose.
var spellings = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ħ': "h", 'ŧ': "t", 'ı': "i", 'ĳ': "ij",
	'\u00a0': " ", '\u202f': " ", '\u3000': " ",
}

// ownLetter returns the letter that a mark makes of the one before it, if that is a letter of its own.
func ownLetter(before []rune, mark rune) (rune, bool) {
	if len(before) == 0 {
		return 0, false
	}
	switch letter := before[len(before)-1]; {
	case letter == 'и' && mark == '\u0306':
		return 'й', true
	case letter == 'у' && mark == '\u0306':
		return 'ў', true
	case letter == 'і' && mark == '\u0308':
		return 'ї', true
	}
	return 0, false
}

// isWidthForm reports whether a character differs from another only in shape.
func isWidthForm(r rune) bool {
	return '\uff01' <= r && r <= '\uffee' || '\ufb00' <= r && r <= '\ufb06'
}

// dropped are the marks that search ignores. U+0338, the stroke that turns = into ≠, is not among them.
var dropped = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00AD, 0x00AD, 1}, // soft hyphen
		{0x0300, 0x0337, 1}, {0x0339, 0x036F, 1},
		{0x0483, 0x0489, 1},                                                                                     // Cyrillic
		{0x0591, 0x05BD, 1}, {0x05BF, 0x05BF, 1}, {0x05C1, 0x05C2, 1}, {0x05C4, 0x05C5, 1}, {0x05C7, 0x05C7, 1}, // Hebrew
		{0x0610, 0x061A, 1}, {0x0640, 0x0640, 1}, {0x064B, 0x065F, 1}, {0x0670, 0x0670, 1}, // Arabic
		{0x06D6, 0x06DC, 1}, {0x06DF, 0x06E4, 1}, {0x06E7, 0x06E8, 1}, {0x06EA, 0x06ED, 1},
		{0x1AB0, 0x1AFF, 1}, {0x1DC0, 0x1DFF, 1},
		{0x2060, 0x2060, 1}, // word joiner
		{0x20D0, 0x20F0, 1}, // enclosing symbols, such as keycaps
		{0xFE00, 0xFE0F, 1}, // variation selectors
		{0xFE20, 0xFE2F, 1},
		{0xFEFF, 0xFEFF, 1},
	},
	LatinOffset: 1,
}

func isDropped(r rune) bool { return unicode.Is(dropped, r) }

// simpleFold maps all letters that differ only in case to the same letter. It looks at a single code point, so that
// a word folds alike in every context.
func simpleFold(r rune) rune {
	if unicode.Is(unicode.Mn, r) {
		return r // a mark is not a letter, although U+0345 has a case
	}
	for other := unicode.SimpleFold(r); ; other = unicode.SimpleFold(other) {
		if unicode.IsUpper(other) {
			return unicode.ToLower(other)
		}
		if other == r {
			return unicode.ToLower(r)
		}
	}
}
