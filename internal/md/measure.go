package md

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Most bytes of a note are letters that begin nothing. The functions here get
// past them eight at a time.

const (
	everyByte = 0x0101010101010101
	highBits  = 0x80 * everyByte
)

// zeroes has the high bit set of each byte of the word that is zero, and may
// have it set of bytes above one.
func zeroes(word uint64) uint64 { return (word - everyByte) &^ word & highBits }

// between has the high bit set of each byte of the word, if that is ASCII, that
// lies between the two; low is the word without its high bits.
func between(word, low, above, below uint64) uint64 {
	return ((127+below)*everyByte - low) &^ word & (low + (127-above)*everyByte)
}

// marks has the high bit set of each byte that may begin something inside of
// a text: # $ % or [ \ ] ^ _ ` or <. The _ is there in vain, and there may be
// more above a <.
func marks(word uint64) uint64 {
	low := word &^ highBits
	return (between(word, low, '"', '&') | between(word, low, 'Z', 'a') | zeroes(word^'<'*everyByte)) & highBits
}

var beginsInline = [256]bool{
	'`': true, '[': true, ']': true, '#': true, '<': true, '$': true, '%': true, '\\': true, '^': true,
}

// measure finds the length of the line at the start of rest, without its
// newline, and the offset of the first mark that is not behind its end.
func measure(rest []byte) (length, mark int) {
	at := 0
	for tail := rest; len(tail) >= 8; tail = tail[8:] {
		word := binary.LittleEndian.Uint64(tail)
		newline, found := zeroes(word^'\n'*everyByte), marks(word)
		if found != 0 {
			return lineLength(rest, at), at + bits.TrailingZeros64(found)/8
		}
		if newline != 0 {
			length = at + bits.TrailingZeros64(newline)/8
			return length, length
		}
		at += 8
	}
	return lineLength(rest, at), at
}

// lineLength is the length of the line at the start of rest, which does not
// end before the given offset.
func lineLength(rest []byte, from int) int {
	at := from
	for tail := rest[from:]; len(tail) >= 8; tail = tail[8:] {
		if newline := zeroes(binary.LittleEndian.Uint64(tail) ^ '\n'*everyByte); newline != 0 {
			return at + bits.TrailingZeros64(newline)/8
		}
		if at += 8; at > 64 {
			break
		}
	}
	if i := bytes.IndexByte(rest[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(rest)
}

// nextMark is the offset of the next byte before end at which the inline scan
// has something to do, or end.
func nextMark(src []byte, pos, end int) int {
	for ; pos+8 <= len(src) && pos < end; pos += 8 {
		for found := marks(binary.LittleEndian.Uint64(src[pos:])); found != 0; found &= found - 1 {
			if at := pos + bits.TrailingZeros64(found)/8; at >= end || beginsInline[src[at]] {
				return min(at, end)
			}
		}
	}
	for pos < end && !beginsInline[src[pos]] {
		pos++
	}
	return min(pos, end)
}
