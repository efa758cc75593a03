package regex

import "unicode/utf8"

// look is a condition on a position in the text, decided by its neighbors.
type look uint8

const (
	lookLineStart look = iota
	lookLineEnd
	lookLineStartCRLF
	lookLineEndCRLF
	lookScriptLineStart // JavaScript has more line ends
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

// needsDecoding reports whether the condition also depends on characters outside of ASCII.
func (l look) needsDecoding() bool {
	return l >= lookBoundary || l == lookScriptLineStart || l == lookScriptLineEnd
}

// neighbor is what a look may ask about the character next to a position.
type neighbor uint8

const (
	besideOther   neighbor = iota // a character that no look asks about
	besideEdge                    // a line feed, or the start or end of the text
	besideReturn                  // a carriage return
	besideASCII                   // an ASCII letter, digit or underscore
	besideWord                    // another character of \w
	besideSep                     // U+2028 or U+2029
	besideInvalid                 // a byte that is not UTF-8
	besideStray                   // an invalid byte that extends the character before it
	besideMiddle                  // the position is within a character
	neighbors
)

func (n neighbor) isWord() bool  { return n == besideASCII || n == besideWord }
func (n neighbor) isValid() bool { return n < besideInvalid }

// then returns what precedes the position after a byte, if n precedes the byte. Within a character it is the
// character itself. Rust takes a stray byte for the tail of the character before it, which is then no longer ASCII.
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

// holds decides a look. As in Rust, no look at Unicode words holds within a character, and looks that ask for the
// absence of a word do not hold next to invalid bytes.
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

// besideByte returns the kind of neighbor that an ASCII byte is.
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

// besideAt returns the kind of neighbor that the character at an offset, which is not ASCII, is, and its size.
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

// isStray reports whether the text ends in one to three continuation bytes that follow another byte of the same
// line.
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

// besideRune returns the kind of neighbor that a character outside of ASCII is.
func besideRune(r rune) neighbor {
	switch {
	case r == '\u2028' || r == '\u2029':
		return besideSep
	case isWordRune(r):
		return besideWord
	}
	return besideOther
}
