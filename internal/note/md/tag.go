package md

import "unicode/utf8"

// tag records a #tag: a # after white space, and a name that is not all digits.
func (s *Scanner) tag(pos, end int) int {
	if !s.tagMayStart(pos) {
		return pos + 1
	}
	i := pos + 1
	for i < end {
		if tagBytes[s.src[i]] {
			i++
			continue
		}
		if s.src[i] < utf8.RuneSelf {
			break
		}
		r, size := utf8.DecodeRune(s.src[i:end])
		if !isTagRune(r) {
			break
		}
		i += size
	}
	if i > pos+1 && !(isDigit(s.src[pos+1]) && allDigits(s.src[pos+1:i])) {
		s.note.Tags = append(s.note.Tags, Span{pos, i})
	}
	return i
}

func allDigits(text []byte) bool {
	for _, c := range text {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

// tagMayStart reports whether a # may start a tag: at the start of a line, after white space, or right after an escaped
// character.
func (s *Scanner) tagMayStart(pos int) bool {
	start := s.inline.segments[s.inline.at].start
	if pos == start || s.inline.escaped == pos {
		return true
	}
	if c := s.src[pos-1]; c < utf8.RuneSelf {
		return isSpace(c) || c == '\v' || c == '\f'
	}
	r, _ := utf8.DecodeLastRune(s.src[start:pos])
	return isUnicodeSpace(r)
}

// tagBytes holds the ASCII characters that a tag may contain.
var tagBytes = func() (allowed [256]bool) {
	for c := range utf8.RuneSelf {
		allowed[c] = true
	}
	for _, c := range "'!\"#$%&()*+,.:;<=>?@^`{|}~[]\\ \t\n\v\f\r" {
		allowed[c] = false
	}
	return allowed
}()

// isTagRune reports whether a tag may contain r, which is not ASCII.
func isTagRune(r rune) bool {
	switch {
	case '\u2000' <= r && r <= '\u206f', '\u2e00' <= r && r <= '\u2e7f':
		return false
	}
	return !isUnicodeSpace(r)
}

// isUnicodeSpace reports whether JavaScript counts r, which is not ASCII, as white space.
func isUnicodeSpace(r rune) bool {
	switch r {
	case '\u00a0', '\u1680', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000', '\ufeff':
		return true
	}
	return '\u2000' <= r && r <= '\u200a'
}

// ValidTag reports whether text is a tag without its #.
func ValidTag(text string) bool {
	digits := true
	for _, r := range text {
		if r < utf8.RuneSelf && !tagBytes[r] || r >= utf8.RuneSelf && !isTagRune(r) {
			return false
		}
		digits = digits && '0' <= r && r <= '9'
	}
	return text != "" && !digits
}
