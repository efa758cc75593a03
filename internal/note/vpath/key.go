package vpath

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Key identifies a note regardless of how its path is spelt: it folds letter case, Unicode normal form and no-break
// spaces, one code point at a time. Two files with the same key are twins, which some systems cannot tell apart.
type Key string

// Key returns the path's identity.
func (p Path) Key() Key { return FoldKey(string(p)) }

// FoldKey folds any text the way Path.Key does: a base name, a tag, the name of a property.
func FoldKey(s string) Key { return Key(appendKey(make([]byte, 0, len(s)), s)) }

// appendKey appends the folded form of s to dst.
func appendKey(dst []byte, s string) []byte {
	start := len(dst)
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return appendUnicodeKey(dst[:start], s)
		}
		dst = append(dst, lowerASCII(s[i]))
	}
	return dst
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}

// appendUnicodeKey composes before folding, so that a letter and its mark are folded together, and again afterwards,
// since a folded letter may combine with the mark behind it.
func appendUnicodeKey(dst []byte, s string) []byte {
	start := len(dst)
	composed := s
	if !norm.NFC.IsNormalString(s) {
		composed = norm.NFC.String(s)
	}
	for _, r := range composed {
		dst = utf8.AppendRune(dst, foldRune(r))
	}
	if folded := dst[start:]; !norm.NFC.IsNormal(folded) {
		dst = append(dst[:start], norm.NFC.Bytes(folded)...)
	}
	return dst
}

// foldRune maps all case variants of a letter to the same one: Σ, σ and the final ς become σ. It ignores neighbouring
// characters; context-dependent lower-casing would fold "ΛΟΓΟΣ" and "ΛΟΓΟΣ.md" differently.
func foldRune(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return rune(lowerASCII(byte(r)))
	case r == '\u00a0', r == '\u202f':
		return ' '
	case '\u2e80' <= r && r <= '\ua63f', '\uac00' <= r && r <= '\ud7ff':
		return r // CJK has no case
	case r == 'İ', unicode.Is(unicode.Mn, r):
		return r // İ has no single-letter lower case; marks have no case
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
