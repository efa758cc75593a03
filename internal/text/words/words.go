// Package words finds the words of a text, and hashes them without regard to letter case and diacritics.
package words

import (
	"encoding/binary"
	"unicode/utf8"

	"obsidian-mcp/internal/text/fold"
)

// Word is a word of a text.
type Word struct {
	Start, End int
	Hash       uint64 // the same for words that fold to the same text
}

// Scanner finds the words of a text one after the other. In scripts without spaces every character is a word.
type Scanner struct {
	text []byte
	at   int
	buf  []byte
}

// In returns a scanner of a text.
func In(text []byte) *Scanner { return &Scanner{text: text} }

// Reset begins with another text.
func (s *Scanner) Reset(text []byte) { s.text, s.at = text, 0 }

// From goes on at an offset, where a word begins.
func (s *Scanner) From(offset int) { s.at = offset }

// What a byte may be.
const (
	other     = iota // ASCII between words
	asciiWord        // an ASCII letter or digit
	notASCII
)

var kinds = func() (kinds [256]uint8) {
	for c := range kinds {
		switch {
		case c >= utf8.RuneSelf:
			kinds[c] = notASCII
		case c != '_' && fold.IsWord(rune(c)):
			kinds[c] = asciiWord
		}
	}
	return kinds
}()

// Next returns the next word, or false at the end of the text.
func (s *Scanner) Next() (Word, bool) {
	text, at := s.text, s.at
	for {
		at += run(text[at:], other)
		start := at
		at += run(text[at:], asciiWord)
		s.at = at
		switch {
		case at < len(text) && kinds[text[at]] == notASCII:
			if s.at = s.end(start); s.at > start {
				return s.folded(start), true
			}
			_, size := utf8.DecodeRune(text[start:]) // a character between words
			at = start + size
		case at > start:
			return Word{start, at, hashASCII(text[start:at:len(text)])}, true
		default:
			return Word{}, false
		}
	}
}

// run counts the bytes of a kind that a text begins with.
func run(text []byte, kind uint8) int {
	for i, c := range text {
		if kinds[c] != kind {
			return i
		}
	}
	return len(text)
}

// end returns where the word that begins at an offset ends. There may be none.
func (s *Scanner) end(start int) int {
	end := start
	for end < len(s.text) {
		r, size := utf8.DecodeRune(s.text[end:])
		switch kind := fold.Kind(r); {
		case kind == fold.CJK && end == start:
			return end + size
		case kind == fold.Other || kind == fold.CJK || r == '_' || kind == fold.Mark && end == start:
			return end
		}
		end += size
	}
	return end
}

// folded returns the word from an offset to where the scanner is.
func (s *Scanner) folded(start int) Word {
	s.buf = fold.Append(s.buf[:0], s.text[start:s.at])
	return Word{start, s.at, hash(s.buf)}
}

// hash is the hash of a folded word.
func hash(word []byte) uint64 {
	sum := uint64(len(word))
	for ; len(word) >= 8; word = word[8:] {
		sum = mix(sum ^ binary.LittleEndian.Uint64(word))
	}
	return mix(sum ^ padded(word))
}

// hashASCII is the hash of ASCII letters and digits: capitals differ from small letters by one bit, which digits have set.
func hashASCII(word []byte) uint64 {
	const bits = 0x2020202020202020
	sum := uint64(len(word))
	for ; len(word) >= 8; word = word[8:] {
		sum = mix(sum ^ (binary.LittleEndian.Uint64(word) | bits))
	}
	return mix(sum ^ (padded(word) | bits&(1<<(8*len(word))-1)))
}

// padded is a word of fewer than eight bytes, with zeros behind it.
func padded(word []byte) uint64 {
	if cap(word) >= 8 {
		return binary.LittleEndian.Uint64(word[:8]) & (1<<(8*len(word)) - 1)
	}
	sum := uint64(0)
	for i, c := range word {
		sum |= uint64(c) << (8 * i)
	}
	return sum
}

func mix(v uint64) uint64 {
	v *= 0x9E3779B97F4A7C15
	return v ^ v>>29
}
