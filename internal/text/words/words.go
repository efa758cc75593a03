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
		for at < len(text) && kinds[text[at]] == other {
			at++
		}
		start, sum := at, uint64(0)
		for len(text)-at > 8 {
			eight := binary.LittleEndian.Uint64(text[at:])
			length := fold.PlainBytes(eight)
			if at += length; length < 8 {
				if kinds[text[at]] != other {
					break
				}
				s.at = at
				return Word{start, at, mix(sum ^ (eight|small)&(1<<(8*length)-1))}, true
			}
			sum = mix(sum ^ (eight | small))
		}
		for at < len(text) && kinds[text[at]] == asciiWord {
			at++
		}
		if s.at = at; at == start && at == len(text) {
			return Word{}, false
		}
		if s.folded(start); s.at > start {
			return Word{start, s.at, hash(s.buf)}, true
		}
		_, size := utf8.DecodeRune(text[start:]) // a character between words
		at = start + size
	}
}

// folded folds the word that begins at an offset, if there is one.
func (s *Scanner) folded(start int) {
	length := 0
	s.buf, length = fold.AppendWord(s.buf[:0], s.text[start:])
	if s.at = start + length; s.at == len(s.text) || s.text[s.at] < utf8.RuneSelf {
		return
	}
	r, size := utf8.DecodeRune(s.text[s.at:])
	switch fold.Kind(r) {
	case fold.Other:
	case fold.CJK:
		if length == 0 {
			s.buf = fold.Append(s.buf, s.text[start:start+size])
			s.at += size
		}
	default:
		s.at = s.end(start)
		s.buf = fold.Append(s.buf[:0], s.text[start:s.at])
	}
}

// end returns where the word that begins at an offset ends. There may be none.
func (s *Scanner) end(start int) int {
	end := start
	for end < len(s.text) {
		r, size := utf8.DecodeRune(s.text[end:])
		if kind := fold.Kind(r); kind == fold.Other || kind == fold.CJK || r == '_' || kind == fold.Mark && end == start {
			break
		}
		end += size
	}
	return end
}

// small has, in each of eight bytes, the bit by which capital ASCII letters differ from small ones. Digits have it set.
const small = 0x2020202020202020

// hash is the hash of a folded word. It depends on eight bytes after the other, and at last on fewer, with zeros behind them.
func hash(word []byte) uint64 {
	sum := uint64(0)
	for ; len(word) >= 8; word = word[8:] {
		sum = mix(sum ^ binary.LittleEndian.Uint64(word))
	}
	rest := uint64(0)
	for i, c := range word {
		rest |= uint64(c) << (8 * i)
	}
	return mix(sum ^ rest)
}

func mix(v uint64) uint64 {
	v *= 0x9E3779B97F4A7C15
	return v ^ v>>29
}
