package fold

import (
	"encoding/binary"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// AppendCase appends src without letter case but with diacritics: composed, and every letter by simple folding.
// Quoted phrases are compared in this form.
func AppendCase(dst, src []byte) []byte {
	start := len(dst)
	if IsASCII(src) {
		return Append(dst, src)
	}
	for text := Compose(src); len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		switch {
		case r < utf8.RuneSelf:
			dst = append(dst, lowerASCII[r])
		case r == utf8.RuneError && size == 1, IsUnified(r):
			dst = append(dst, text[:size]...)
		default:
			dst = utf8.AppendRune(dst, simpleFold(r))
		}
		text = text[size:]
	}
	if folded := dst[start:]; !norm.NFC.IsNormal(folded) {
		dst = append(dst[:start], norm.NFC.Bytes(folded)...)
	}
	return dst
}

// Compose returns a text in Unicode normal form C. A text that is in this form already is returned unchanged.
func Compose(text []byte) []byte {
	if norm.NFC.IsNormal(text) {
		return text
	}
	return norm.NFC.Bytes(text)
}

// IsASCII reports whether a text is all ASCII.
func IsASCII(text []byte) bool {
	for len(text) >= 8 {
		if binary.LittleEndian.Uint64(text)&highBits != 0 {
			return false
		}
		text = text[8:]
	}
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
