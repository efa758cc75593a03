package regex

import "unicode/utf8"

// look is a condition on a place in the text, decided by what stands before
// it and after it.
type look uint8

const (
	lookLineStart look = iota
	lookLineEnd
	lookLineStartCRLF
	lookLineEndCRLF
	lookScriptLineStart // JavaScript knows more line ends
	lookScriptLineEnd
	lookBoundaryASCII
	lookNotBoundaryASCII
	lookWordStartASCII
	lookWordEndASCII
	lookWordStartHalfASCII
	lookWordEndHalfASCII
	lookBoundary
	lookNotBoundary
	lookWordStart
	lookWordEnd
	lookWordStartHalf
	lookWordEndHalf
)

// needsDecoding reports whether the condition is about characters outside of
// ASCII too.
func (l look) needsDecoding() bool {
	return l >= lookBoundary || l == lookScriptLineStart || l == lookScriptLineEnd
}

// neighbor is what a look may ask of the character beside a place.
type neighbor uint8

const (
	besideOther   neighbor = iota // a character that no look asks for
	besideEdge                    // a line feed, or the start or end of the text
	besideReturn                  // a carriage return
	besideASCII                   // a letter, digit or underscore of ASCII
	besideWord                    // another character of \w
	besideSep                     // U+2028 or U+2029
	besideInvalid                 // a byte that is not UTF-8
	besideStray                   // such a byte that leaves what is before as it was
	besideMiddle                  // the place is within a character
	neighbors
)

func (n neighbor) isWord() bool  { return n == besideASCII || n == besideWord }
func (n neighbor) isValid() bool { return n < besideInvalid }

// then is what stands before the place after a byte, if n stood before the
// byte. Within a character it is the character. Rust takes a stray byte for
// the tail of the character before it, which is then not of ASCII any more.
func (n neighbor) then(byte neighbor) neighbor {
	switch {
	case byte == besideMiddle:
		return n
	case byte != besideStray:
		return byte
	case n.isWord():
		return besideWord
	case n == besideReturn:
		return besideOther
	}
	return n
}

func (n neighbor) endsScriptLine() bool {
	return n == besideEdge || n == besideReturn || n == besideSep
}

// holds decides a look. Within a character no look at Unicode words holds,
// nor do those at a place beside invalid bytes that speak of the absence of a
// word: so Rust has it.
func (l look) holds(before, after neighbor) bool {
	switch l {
	case lookLineStart:
		return before == besideEdge
	case lookLineEnd:
		return after == besideEdge
	case lookLineStartCRLF:
		return before == besideEdge || before == besideReturn && after != besideEdge
	case lookLineEndCRLF:
		return after == besideReturn || after == besideEdge && before != besideReturn
	case lookScriptLineStart:
		return before.endsScriptLine() && after != besideMiddle
	case lookScriptLineEnd:
		return after.endsScriptLine()
	}
	if l < lookBoundary {
		return l.holdsASCII(before == besideASCII, after == besideASCII)
	}
	if after == besideMiddle {
		return false
	}
	switch l {
	case lookBoundary:
		return before.isWord() != after.isWord()
	case lookNotBoundary:
		return before.isValid() && after.isValid() && before.isWord() == after.isWord()
	case lookWordStart:
		return !before.isWord() && after.isWord()
	case lookWordEnd:
		return before.isWord() && !after.isWord()
	case lookWordStartHalf:
		return before.isValid() && !before.isWord()
	default: // lookWordEndHalf
		return after.isValid() && !after.isWord()
	}
}

func (l look) holdsASCII(before, after bool) bool {
	switch l {
	case lookBoundaryASCII:
		return before != after
	case lookNotBoundaryASCII:
		return before == after
	case lookWordStartASCII:
		return !before && after
	case lookWordEndASCII:
		return before && !after
	case lookWordStartHalfASCII:
		return !before
	default: // lookWordEndHalfASCII
		return !after
	}
}

// besideByte is the neighbor that a byte of ASCII is.
func besideByte(c byte) neighbor {
	switch {
	case c == '\n':
		return besideEdge
	case c == '\r':
		return besideReturn
	case isWordByte(c):
		return besideASCII
	}
	return besideOther
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// besideAt is the neighbor that the character at a place is, and its size. It
// is not of ASCII.
func besideAt(text []byte, at int) (kind neighbor, size int) {
	r, size := utf8.DecodeRune(text[at:])
	switch {
	case r != utf8.RuneError || size > 1:
		return besideRune(r), size
	case isStray(text[:at+1]):
		return besideStray, 1
	}
	return besideInvalid, 1
}

// isStray reports whether the text ends in bytes that only continue a
// character, at most three of them, after one of the same line.
func isStray(text []byte) bool {
	for i := range 4 {
		at := len(text) - 1 - i
		if at < 0 || text[at] == '\n' {
			return false
		}
		if utf8.RuneStart(text[at]) {
			return i > 0
		}
	}
	return false
}

// besideRune is the neighbor that a character outside of ASCII is.
func besideRune(r rune) neighbor {
	switch {
	case r == '\u2028' || r == '\u2029':
		return besideSep
	case isWordRune(r):
		return besideWord
	}
	return besideOther
}
