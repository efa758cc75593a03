package text

import (
	"unicode/utf8"

	"obsidian-mcp/internal/text/fold"
)

// maxTerm is the longest term of the dictionary in bytes. A longer token is
// kept in overlapping pieces, so that whatever is at most maxPiece bytes long
// stands in one of them whole.
const (
	maxTerm  = 64
	maxPiece = 32
)

// Letters and digits are what tokens are made of in scripts that put spaces
// between words. Where there are none, each character and the one after it
// are a token, the last character of a run by itself.

const (
	asciiOther = iota
	asciiLower // stands for itself
	asciiUpper
	asciiNone // not ASCII
)

var asciiKind [256]uint8

func init() {
	for c := range asciiKind {
		switch {
		case c >= utf8.RuneSelf:
			asciiKind[c] = asciiNone
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			asciiKind[c] = asciiLower
		case c >= 'A' && c <= 'Z':
			asciiKind[c] = asciiUpper
		}
	}
}

// tokenizer cuts texts into terms. It reuses memory.
type tokenizer struct {
	buf  []byte
	prev []byte // the folded character before, in a run without spaces
}

// each yields the folded terms of a text and where they begin. A term is
// valid during the call alone.
func (t *tokenizer) each(text []byte, yield func(term []byte, at int)) {
	for i := 0; i < len(text); {
		switch asciiKind[text[i]] {
		case asciiOther:
			i++
		case asciiNone:
			r, size := utf8.DecodeRune(text[i:])
			switch fold.Kind(r) {
			case fold.CJK:
				i = t.unspaced(text, i, yield)
			case fold.Letter, fold.Digit:
				i = t.word(text, i, yield)
			default:
				i += size
			}
		default:
			i = t.word(text, i, yield)
		}
	}
}

// word yields the token that begins at a place, and tells where it ends.
func (t *tokenizer) word(text []byte, start int, yield func(term []byte, at int)) int {
	t.buf = t.buf[:0]
	i, broken := start, false
	for ; i < len(text); i++ {
		c := text[i]
		switch asciiKind[c] {
		case asciiLower:
			t.buf = append(t.buf, c)
			continue
		case asciiUpper:
			t.buf = append(t.buf, c+('a'-'A'))
			continue
		case asciiNone:
			if i, broken = wordEnd(text, i); i > start {
				t.buf = fold.Append(t.buf[:0], text[start:i])
			}
		}
		break
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

// parts yields the parts of a word that has characters in it that are not
// seen: to someone who looks for a part, these are its boundaries.
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

// wordEnd is where the token that goes through a place ends, and whether it
// has characters that are not seen.
func wordEnd(text []byte, i int) (end int, broken bool) {
	for i < len(text) {
		if kind := asciiKind[text[i]]; kind == asciiLower || kind == asciiUpper {
			i++
			continue
		} else if kind == asciiOther {
			return i, broken
		}
		r, size := utf8.DecodeRune(text[i:])
		switch fold.Kind(r) {
		case fold.Letter, fold.Digit, fold.Mark:
			i += size
		default:
			if !isUnseen(r) {
				return i, broken
			}
			i += size
			broken = true
		}
	}
	return i, broken
}

// isUnseen reports a character that folding leaves out, such as a soft hyphen:
// it does not end a word.
func isUnseen(r rune) bool {
	var buf [16]byte
	return len(fold.AppendRune(buf[:0], r)) == 0
}

// joinsBefore reports a character that belongs to the one before it: a mark, a
// vowel or a last consonant of a Korean syllable that is written apart, a
// half-width sign of voicing.
func joinsBefore(r rune) bool {
	return fold.Kind(r) == fold.Mark || r >= 0x1160 && r <= 0x11ff || r == 0xff9e || r == 0xff9f
}

// isUnspaced reports a term of a script without spaces between words.
func isUnspaced(term string) bool {
	r, _ := utf8.DecodeRuneInString(term)
	return fold.Kind(r) == fold.CJK
}

// pieces cuts a long token, never inside of a character.
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

// unspaced yields the terms of a run of characters without spaces.
func (t *tokenizer) unspaced(text []byte, start int, yield func(term []byte, at int)) int {
	t.prev = t.prev[:0]
	before := start
	i := start
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		if fold.Kind(r) != fold.CJK {
			break
		}
		end := i + size
		for end < len(text) { // marks belong to the character
			mark, size := utf8.DecodeRune(text[end:])
			if !joinsBefore(mark) && (mark < utf8.RuneSelf || !isUnseen(mark)) {
				break
			}
			end += size
		}
		t.buf = append(t.buf[:0], t.prev...)
		t.buf = fold.Append(t.buf, text[i:end])
		if len(t.prev) > 0 {
			yield(t.buf[:min(len(t.buf), maxTerm)], before)
		}
		t.prev = append(t.prev[:0], t.buf[len(t.prev):]...)
		before, i = i, end
	}
	if len(t.prev) > 0 {
		yield(t.prev[:min(len(t.prev), maxTerm)], before)
	}
	return max(i, start+1)
}
