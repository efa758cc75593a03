// Package fold makes texts comparable for search: what a person would call the same word becomes the same bytes.
//
//   - Letter case is removed, one code point at a time (Unicode's simple folding): Σ, σ and ς are the same letter.
//   - Diacritics of Latin, Greek and Cyrillic are removed: é is e, ё is е. The Cyrillic letters й, ў and ї are letters
//     of their own and stay.
//   - Letters that people spell out on keyboards without them are spelt out: ß is ss, æ is ae, œ is oe, ø is o, ł is l,
//     đ and ð are d, þ is th, ı is i.
//   - Arabic vowel signs, hamza on its carriers, the stretching tatweel, and Hebrew points are removed. Vowel signs of
//     Indic scripts and Thai, and the voicing marks of Japanese stay, because they distinguish words.
//   - Full-width and half-width forms become the usual ones, and ligatures of Latin letters become the letters; no-break
//     and ideographic spaces are spaces.
//   - Composed and decomposed spellings are equal, Hangul included.
//   - Invisible characters are removed: soft hyphens, variation selectors, word joiners, byte order marks.
//
// Everything else stays unchanged, including bytes that are not UTF-8. Folding valid UTF-8 twice is the same as folding
// it once. Every character is folded by itself, except for marks, which combine with what precedes them: so the folded
// form of a part of a text is a part of the text's folded form.
//
// The package also classifies characters, so that all callers cut text into words in the same way.
package fold

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// Append appends the folded form of src to dst.
func Append(dst, src []byte) []byte {
	start := len(dst)
	dst = slices.Grow(dst, len(src)+8)
	for i := 0; i < len(src); {
		if src[i] < utf8.RuneSelf {
			var run int
			dst, run = appendASCII(dst, src[i:])
			i += run
			continue
		}
		r, size := decode(src[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, src[i])
			i++
			continue
		}
		i += size
		if found := lookup(r); found < plainLimit {
			dst = appendPlain(dst, found)
		} else {
			dst = appendSpecial(dst, start, r, found)
		}
	}
	return dst
}

// AppendWord appends the folded form of the letters and digits that src begins with, and returns how many bytes of src these are. It
// ends before the first character that may change what is before it, too.
func AppendWord(dst, src []byte) (folded []byte, length int) {
	for length < len(src) {
		if c := src[length]; c < utf8.RuneSelf {
			if kind := asciiKinds[c]; kind != Letter && kind != Digit {
				break
			}
			dst = append(dst, lowerASCII[c])
			length++
			continue
		}
		r, size := decode(src[length:])
		page, at := pageOf(r), uint32(r)%pageSize
		if kind := page.kinds[at]; kind != Letter && kind != Digit {
			break
		}
		if found := page.entries[at]; found < plainLimit {
			dst = appendPlain(dst, found)
		} else if found&operation == spellOut {
			dst = append(dst, page.spelt[found&^operation]...)
		} else {
			break
		}
		length += size
	}
	return dst, length
}

// appendPlain appends a single character.
func appendPlain(dst []byte, found entry) []byte {
	if found < 0x800 && found >= utf8.RuneSelf {
		return append(dst, 0xC0|byte(found>>6), 0x80|byte(found&0x3F))
	}
	return utf8.AppendRune(dst, rune(found))
}

// PlainBytes counts the ASCII letters and digits that eight bytes, the first of which is the lowest, begin with.
func PlainBytes(eight uint64) int {
	low := eight &^ highBits
	letters := low | ones*0x20
	// Adding sets the high bit of each byte that is not below a certain character.
	plain := (letters+ones*(0x80-'a'))&^(letters+ones*(0x7F-'z')) | (low+ones*(0x80-'0'))&^(low+ones*(0x7F-'9'))
	return bits.TrailingZeros64((^plain|eight)&highBits) / 8
}

// appendASCII folds at least one byte of ASCII, eight at a time if possible, and returns how many it folded.
func appendASCII(dst, src []byte) ([]byte, int) {
	if len(src) < 8 {
		return append(dst, lowerASCII[src[0]]), 1
	}
	dst = slices.Grow(dst, len(src))
	at, n := len(dst), 0
	out := dst[at : at+len(src)]
	for ; n+8 <= len(src) && n+8 <= len(out); n += 8 {
		word := binary.LittleEndian.Uint64(src[n:])
		binary.LittleEndian.PutUint64(out[n:], lowerWord(word))
		if high := word & highBits; high != 0 { // the bytes from here on are overwritten later
			n += bits.TrailingZeros64(high) / 8
			break
		}
	}
	return dst[:at+n], n
}

// decode is utf8.DecodeRune with fast paths for most two-byte letters and for most of Han and kana.
func decode(src []byte) (rune, int) {
	if len(src) >= 2 && 0xC2 <= src[0] && src[0] <= 0xDF && src[1]&0xC0 == 0x80 {
		return rune(src[0]&0x1F)<<6 | rune(src[1]&0x3F), 2
	}
	if len(src) >= 3 && 0xE1 <= src[0] && src[0] <= 0xEC && src[1]&0xC0 == 0x80 && src[2]&0xC0 == 0x80 {
		return rune(src[0]&0x0F)<<12 | rune(src[1]&0x3F)<<6 | rune(src[2]&0x3F), 3
	}
	return utf8.DecodeRune(src)
}

// String returns the folded form of a text.
func String(text string) string {
	if isFoldedASCII(text) {
		return text
	}
	return string(Append(nil, []byte(text)))
}

// AppendRune appends the folded form of a single character.
func AppendRune(dst []byte, r rune) []byte {
	if uint32(r) < utf8.RuneSelf {
		return append(dst, lowerASCII[r])
	}
	if !utf8.ValidRune(r) {
		return utf8.AppendRune(dst, utf8.RuneError)
	}
	if found := lookup(r); found >= plainLimit {
		return appendSpecial(dst, len(dst), r, found)
	} else {
		return utf8.AppendRune(dst, rune(found))
	}
}

const (
	highBits = 0x8080808080808080
	ones     = 0x0101010101010101
)

// lowerWord lowers the ASCII letters among eight bytes, up to the first byte that is not ASCII. A byte's high bit
// is set in the first sum if the byte is at least 'A', and in the second if it is above 'Z'.
func lowerWord(word uint64) uint64 {
	fromA := word + ones*(0x80-'A')
	aboveZ := word + ones*(0x80-'Z'-1)
	return word | (fromA&^aboveZ&highBits)>>2
}

var lowerASCII = func() (table [utf8.RuneSelf]byte) {
	for c := range table {
		table[c] = byte(c)
		if 'A' <= c && c <= 'Z' {
			table[c] += 'a' - 'A'
		}
	}
	return table
}()

func isFoldedASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}
