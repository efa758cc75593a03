package pack

import "unicode/utf8"

// class is the kind of a byte. A piece consists of bytes of one class, except for a leading space.
type class uint8

const (
	other class = iota
	letter
	digit
	wide // the first byte of a three- or four-byte character; most of these scripts do not put spaces between words
)

var classes = func() (classes [256]class) {
	for c := range classes {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 && c < 0xE0:
			classes[c] = letter
		case c >= '0' && c <= '9':
			classes[c] = digit
		case c >= 0xE0:
			classes[c] = wide
		}
	}
	return classes
}()

// next returns the end of the piece that begins at start. A piece is a word or a number, with the space before it; one or two wide
// characters; or a run of other characters.
func next(text []byte, start int) (end int) {
	most := min(len(text), start+maxPiece)
	at := start
	if text[at] == ' ' && at+1 < most && classes[text[at+1]] != other {
		at++
	}
	switch kind := classes[text[at]]; kind {
	case wide:
		_, size := utf8.DecodeRune(text[at:])
		at += size
		if at < most && classes[text[at]] == wide {
			_, size := utf8.DecodeRune(text[at:])
			at += size
		}
		return at
	case other:
		for at++; at < most && classes[text[at]] == other; at++ {
		}
		if at < len(text) && at-start > 1 && text[at-1] == ' ' && classes[text[at]] != other {
			at-- // the space belongs to the word
		}
		return at
	default:
		for at++; at < most && classes[text[at]] == kind; at++ {
		}
		for at < len(text) && at == most && !utf8.RuneStart(text[at]) && at > start+1 {
			at-- // do not split a character
			most--
		}
		return at
	}
}
