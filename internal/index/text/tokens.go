package text

import (
	"encoding/binary"
	"unicode/utf8"

	"obsidian-mcp/internal/text/fold"
)

// maxTerm is the longest term of the dictionary in bytes. A longer token is stored as overlapping terms, so that
// any piece of at most maxPiece bytes is contained in one of them.
const (
	maxTerm  = 64
	maxPiece = 32
)

// In scripts with spaces between words, a token is a run of letters and digits. In scripts without, each character
// forms a token with the one after it, and the last character of a run is a token by itself.

const (
	asciiOther = iota
	asciiWord  // a letter or digit
	asciiNone  // not ASCII
)

var asciiKind [256]uint8

func init() {
	for c := range asciiKind {
		switch {
		case c >= utf8.RuneSelf:
			asciiKind[c] = asciiNone
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
			asciiKind[c] = asciiWord
		}
	}
}

// tokenizer cuts texts into terms. It reuses memory.
type tokenizer struct {
	buf  []byte
	prev []byte // the previous character, folded, in a run without spaces
}

// each yields the folded terms of a text and where they begin. A term is valid only until yield returns.
func (t *tokenizer) each(text []byte, yield func(term []byte, at int)) {
	for i := 0; i < len(text); {
		i = t.next(text, i, yield)
	}
}

// next yields the terms of the token at an offset, if there is one, and returns the offset after it.
func (t *tokenizer) next(text []byte, at int, yield func(term []byte, at int)) (after int) {
	if asciiKind[text[at]] == asciiOther {
		return at + 1
	}
	var length int
	if t.buf, length = fold.AppendWord(t.buf[:0], text[at:]); length > 0 {
		return t.word(text, at, at+length, yield)
	}
	r, size := utf8.DecodeRune(text[at:])
	switch fold.Kind(r) {
	case fold.CJK:
		return t.unspaced(text, at, yield)
	case fold.Letter, fold.Digit:
		return t.word(text, at, at, yield)
	}
	return at + size
}

// word yields the token that begins at start, and returns where it ends. The buffer has what is before i.
func (t *tokenizer) word(text []byte, start, i int, yield func(term []byte, at int)) int {
	broken := false
	if i < len(text) && asciiKind[text[i]] == asciiNone {
		if end, isBroken := wordEnd(text, i); end > i {
			i, broken = end, isBroken
			t.buf = fold.Append(t.buf[:0], text[start:i])
		}
	}
	if len(t.buf) > maxTerm {
		pieces(t.buf, func(piece []byte) { yield(piece, start) })
	} else if len(t.buf) > 0 {
		yield(t.buf, start)
	}
	if broken {
		t.parts(text[start:i], start, yield)
	}
	return i
}

// small has, in each of eight bytes, the bit that distinguishes lower-case from upper-case ASCII letters.
const small = 0x2020202020202020

// plainKey returns the key and length of the term at the start of text, which must be longer than wholeKey bytes. The length
// is 0 unless the term consists of ASCII letters and digits, fits into a key, and is followed by an ASCII separator.
func plainKey(text []byte) (key termKey, length int) {
	head := binary.LittleEndian.Uint64(text)
	length = fold.PlainBytes(head)
	if length < 8 {
		key.head = (head | small) & (1<<(8*length) - 1)
	} else {
		tail := binary.LittleEndian.Uint64(text[8:])
		more := fold.PlainBytes(tail)
		key = termKey{head | small, (tail | small) & (1<<(8*more) - 1)}
		length += more
	}
	if asciiKind[text[length]] != asciiOther {
		return key, 0
	}
	return key, length
}

// parts yields the parts of a word that has invisible characters in it: a search for a part treats these as
// boundaries.
func (t *tokenizer) parts(word []byte, start int, yield func(term []byte, at int)) {
	for from := 0; from < len(word); {
		end := from
		for end < len(word) {
			r, size := utf8.DecodeRune(word[end:])
			if fold.Kind(r) == fold.Other {
				break
			}
			end += size
		}
		if t.buf = fold.Append(t.buf[:0], word[from:end]); len(t.buf) > 0 {
			yield(t.buf[:min(len(t.buf), maxTerm)], start+from)
		}
		_, size := utf8.DecodeRune(word[end:])
		from = end + max(1, size)
	}
}

// wordEnd returns the end of the token that contains text[i], and whether the token has invisible characters.
func wordEnd(text []byte, i int) (end int, broken bool) {
	for i < len(text) {
		switch asciiKind[text[i]] {
		case asciiWord:
			i++
			continue
		case asciiOther:
			return i, broken
		}
		r, size := utf8.DecodeRune(text[i:])
		switch fold.Kind(r) {
		case fold.Letter, fold.Digit, fold.Mark:
			i += size
		default:
			if !isInvisible(r) {
				return i, broken
			}
			i += size
			broken = true
		}
	}
	return i, broken
}

// isInvisible reports whether folding drops a character, such as a soft hyphen. Such a character does not end a
// word.
func isInvisible(r rune) bool {
	var buf [16]byte
	return len(fold.AppendRune(buf[:0], r)) == 0
}

// joinsBefore reports whether a character combines with the one before it: a mark, a separate vowel or final
// consonant of a Korean syllable, or a half-width voicing mark.
func joinsBefore(r rune) bool {
	return fold.Kind(r) == fold.Mark || r >= 0x1160 && r <= 0x11ff || r == 0xff9e || r == 0xff9f
}

// isUnspaced reports whether a term is in a script without spaces between words.
func isUnspaced(term string) bool {
	r, _ := utf8.DecodeRuneInString(term)
	return fold.Kind(r) == fold.CJK
}

// pieces cuts a long token into terms, never inside of a character.
func pieces(token []byte, yield func(piece []byte)) {
	for start := 0; ; {
		end := min(start+maxTerm, len(token))
		for end < len(token) && !utf8.RuneStart(token[end]) {
			end--
		}
		yield(token[start:end])
		if end == len(token) {
			return
		}
		start += maxTerm - maxPiece
		for !utf8.RuneStart(token[start]) {
			start--
		}
	}
}

// unspaced yields the terms of a run of characters without spaces, and returns where the run ends.
func (t *tokenizer) unspaced(text []byte, start int, yield func(term []byte, at int)) int {
	t.prev = t.prev[:0]
	before, wasPlain := start, false
	i := start
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		isPlain := fold.IsUnified(r)
		if !isPlain && fold.Kind(r) != fold.CJK {
			break
		}
		end := i + size
		for end < len(text) { // marks belong to the character
			mark, size := utf8.DecodeRune(text[end:])
			if fold.IsUnified(mark) || !joinsBefore(mark) && (mark < utf8.RuneSelf || fold.Kind(mark) == fold.CJK || !isInvisible(mark)) {
				break
			}
			end += size
			isPlain = false
		}
		if isPlain && wasPlain { // folding would not change them
			yield(text[before:end], before)
			t.prev = append(t.prev[:0], text[i:end]...)
			before, i = i, end
			continue
		}
		t.buf = append(t.buf[:0], t.prev...)
		t.buf = fold.Append(t.buf, text[i:end])
		if len(t.prev) > 0 {
			yield(t.buf[:min(len(t.buf), maxTerm)], before)
		}
		t.prev = append(t.prev[:0], t.buf[len(t.prev):]...)
		before, wasPlain, i = i, isPlain, end
	}
	if len(t.prev) > 0 {
		yield(t.prev[:min(len(t.prev), maxTerm)], before)
	}
	return max(i, start+1)
}
