package meaning

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	longestWord     = 40 // runes of a word that is cut into pieces
	longestPiece    = 24
	shortestPiece   = 2
	longestUnspaced = 4 // of a piece of Chinese or Japanese
)

// inner marks the pieces that do not begin a word.
const inner = "##"

// reader adds up the rows of a table. It keeps its memory; only one goroutine may use it at a time.
type reader struct {
	table *table
	plain []byte // a text in its normal form
	other []byte
	piece []byte
	runes []int // where each rune of a word begins, and its end
	known int   // rows that were added
}

// newReader returns a reader that uses a table.
func newReader(t *table) *reader {
	t.open()
	return &reader{table: t}
}

// Add adds the vectors of all words of a text, and returns how many words and pieces the table knows.
func (r *reader) Add(text []byte, into Vector) (known int) {
	r.known = 0
	r.normalise(text)
	r.each(r.plain, func(word []byte, isUnspaced bool) {
		if row := r.table.words.Find(word); row >= 0 {
			r.add(row, into)
		} else {
			r.pieces(word, isUnspaced, into)
		}
	})
	return r.known
}

func (r *reader) add(row int, into Vector) {
	r.table.add(row, into)
	r.known++
}

// normalise sets plain to a text in small letters, without the marks on them.
func (r *reader) normalise(text []byte) {
	r.plain = r.plain[:0]
	for _, b := range text {
		if b >= utf8.RuneSelf {
			r.normaliseAll(text)
			return
		}
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		r.plain = append(r.plain, b)
	}
}

func (r *reader) normaliseAll(text []byte) {
	r.other = norm.NFD.Append(r.other[:0], text...)
	r.plain = r.plain[:0]
	for i := 0; i < len(r.other); {
		c, size := utf8.DecodeRune(r.other[i:])
		if c < 0x300 || c > 0x36F {
			r.plain = append(r.plain, r.other[i:i+size]...)
		}
		i += size
	}
	r.other = norm.NFC.Append(r.other[:0], r.plain...)
	r.plain = r.plain[:0]
	for i := 0; i < len(r.other); {
		c, size := utf8.DecodeRune(r.other[i:])
		r.plain = utf8.AppendRune(r.plain, unicode.ToLower(c))
		i += size
	}
}

// each yields the runs of letters and numbers. Chinese and Japanese, which are written without spaces, are runs of their own.
func (r *reader) each(text []byte, yield func(word []byte, isUnspaced bool)) {
	start, wasUnspaced := -1, false
	for i := 0; i < len(text); {
		c, size := rune(text[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(text[i:])
		}
		isWord := 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsNumber(c))
		unspaced := c >= 0x3040 && isUnspaced(c)
		if start >= 0 && (!isWord || unspaced != wasUnspaced) {
			yield(text[start:i], wasUnspaced)
			start = -1
		}
		if isWord && start < 0 {
			start, wasUnspaced = i, unspaced
		}
		i += size
	}
	if start >= 0 {
		yield(text[start:], wasUnspaced)
	}
}

func isUnspaced(c rune) bool {
	return c >= 0x3040 && c <= 0x30FF || c >= 0x3400 && c <= 0x4DBF || c >= 0x4E00 && c <= 0x9FFF || c >= 0xF900 && c <= 0xFAFF
}

// pieces adds the longest pieces of a word that the table has.
func (r *reader) pieces(word []byte, isUnspaced bool, into Vector) {
	r.runes = r.runes[:0]
	isNumber := true
	for i := 0; i < len(word); {
		c, size := utf8.DecodeRune(word[i:])
		isNumber = isNumber && unicode.IsNumber(c)
		r.runes = append(r.runes, i)
		i += size
	}
	count := len(r.runes)
	r.runes = append(r.runes, len(word))
	longest, shortest := longestUnspaced, 1
	if !isUnspaced {
		if isNumber || count > longestWord {
			return
		}
		longest, shortest = longestPiece, shortestPiece
	}
	for at := 0; at < count; {
		size := min(longest, count-at)
		for size >= shortest && !r.addPiece(word, at, size, isUnspaced, into) {
			size--
		}
		if size < shortest {
			size = 1 // nothing begins here
		}
		at += size
	}
}

// addPiece adds the piece of a word that begins at a rune, if the table has it.
func (r *reader) addPiece(word []byte, at, size int, isUnspaced bool, into Vector) bool {
	r.piece = r.piece[:0]
	if at > 0 && !isUnspaced {
		r.piece = append(r.piece, inner...)
	}
	row := r.table.words.Find(append(r.piece, word[r.runes[at]:r.runes[at+size]]...))
	if row >= 0 {
		r.add(row, into)
	}
	return row >= 0
}
