package text

import (
	"bytes"
	"strings"
)

// How close a term is to the word that was asked for, as a factor of its
// weight.
const (
	asIs     = 1.0
	asPrefix = 0.6
	inside   = 0.25
	asTypo   = 0.35
)

// edges say where in a token a piece of text may stand.
type edges uint8

const (
	fromStart edges = 1 << iota // the token begins with it
	toEnd                       // the token ends with it
)

// fits reports whether a piece stands in a term as its edges ask.
func fits(term []byte, piece string, at edges) bool {
	switch at {
	case fromStart | toEnd:
		return string(term) == piece
	case fromStart:
		return len(term) >= len(piece) && string(term[:len(piece)]) == piece
	case toEnd:
		return len(term) >= len(piece) && string(term[len(term)-len(piece):]) == piece
	}
	return bytes.Contains(term, []byte(piece))
}

// matching yields the terms in which a piece stands as its edges ask. Very
// short pieces without a start are looked for in the whole dictionary.
func (s *Segment) matching(piece string, at edges, yield func(term int)) {
	switch {
	case at&fromStart != 0:
		s.from(piece, func(n int, term []byte) bool {
			if !fits(term, piece, fromStart) {
				return false
			}
			if at&toEnd == 0 || len(term) == len(piece) {
				yield(n)
			}
			return at&toEnd == 0
		})
	case len(piece) < 3:
		s.holding(piece, func(n int, term []byte) {
			if fits(term, piece, at) {
				yield(n)
			}
		})
	default:
		s.byTrigram(piece, func(n int) {
			if fits(s.term(n), piece, at) {
				yield(n)
			}
		})
	}
}

// byTrigram yields the terms that may contain a piece: those that its two
// rarest trigrams have in common.
func (s *Segment) byTrigram(piece string, yield func(term int)) {
	var first, second []byte
	for i := 0; i+3 <= len(piece); i++ {
		list := s.bucket(trigram([]byte(piece[i : i+3])))
		switch {
		case i == 0 || len(list) < len(first):
			first, second = list, first
		case second == nil || len(list) < len(second):
			second = list
		}
	}
	if second == nil {
		eachOf(first, yield)
		return
	}
	other := -1
	eachOf(first, func(n int) {
		for other < n && len(second) > 0 {
			delta, size := longUvarint(second)
			second = second[size:]
			other += int(delta)
		}
		if other == n {
			yield(n)
		}
	})
}

// eachOf yields the terms of a bucket.
func eachOf(list []byte, yield func(term int)) {
	n := -1
	for len(list) > 0 {
		delta, size := longUvarint(list)
		list = list[size:]
		n += int(delta)
		yield(n)
	}
}

// similar yields the terms that differ from a word by a letter or two.
func (s *Segment) similar(word string, yield func(term int)) {
	runes := []rune(word)
	allowed := 0
	switch {
	case len(runes) >= 8:
		allowed = 2
	case len(runes) >= 4:
		allowed = 1
	default:
		return
	}
	seen := map[int]uint8{}
	grams := 0
	for i := 0; i+3 <= len(word); i++ {
		grams++
		eachOf(s.bucket(trigram([]byte(word[i:i+3]))), func(n int) { seen[n]++ })
	}
	width := len(word) / len(runes) // bytes of a letter
	enough := max(1, grams-3*width*allowed)
	var d distance
	for n, count := range seen {
		term := s.term(n)
		if int(count) >= enough && len(term) <= len(word)+4*allowed && len(word) <= len(term)+4*allowed &&
			d.within(runes, []rune(string(term)), allowed) && string(term) != word {
			yield(n)
		}
	}
}

// distance measures how far two words are apart: letters to insert, delete,
// replace, and neighbours to exchange.
type distance struct{ rows [3][]int }

func (d *distance) within(a, b []rune, most int) bool {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return false
	}
	for i := range d.rows {
		d.rows[i] = append(d.rows[i][:0], make([]int, len(b)+1)...)
	}
	before, last, row := d.rows[0], d.rows[1], d.rows[2]
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > most {
			return false
		}
		before, last, row = last, row, before
	}
	return last[len(b)] <= most
}

// run is a piece of a literal that stands in one token.
type run struct {
	text string
	at   edges
	from int // where in the literal it begins
}

// runsOf cuts a folded literal into the tokens that a text with it must have.
// What stands at its edges may go on in the text, unless it is bounded.
func runsOf(literal string, bounded bool) []run {
	var runs []run
	var t tokenizer
	t.each([]byte(literal), func(term []byte, at int) {
		runs = append(runs, run{text: string(term), at: fromStart | toEnd, from: at})
	})
	for i := range runs {
		one := &runs[i]
		unspaced := isUnspaced(one.text)
		first, last := onlyMarks(literal[:one.from]), onlyMarks(literal[min(len(literal), one.from+len(one.text)):])
		switch {
		case unspaced && i+1 < len(runs) && runs[i+1].from < one.from+len(one.text):
			if last {
				one.at = fromStart // a mark may follow its second character
			}
		case unspaced && last:
			one.at = fromStart // what follows makes another pair with it
		case unspaced:
		case len(one.text) > maxPiece:
			one.text = cutPiece(one.text)
			one.at = 0
		case !bounded && first && last:
			one.at = 0
		case !bounded && first:
			one.at = toEnd
		case !bounded && last:
			one.at = fromStart
		}
	}
	return dropCovered(runs)
}

// onlyMarks reports a text that is nothing but marks, which belong to the
// token beside them.
func onlyMarks(text string) bool {
	for _, r := range text {
		if !joinsBefore(r) {
			return false
		}
	}
	return true
}

// cutPiece shortens a long token to a piece that stands whole somewhere.
func cutPiece(token string) string {
	end := maxPiece
	for end > 0 && token[end]&0xC0 == 0x80 {
		end--
	}
	return token[:end]
}

// dropCovered leaves out the last character of a run without spaces where it
// is the second one of a pair.
func dropCovered(runs []run) []run {
	kept := runs[:0]
	for i, one := range runs {
		if i > 0 && isUnspaced(one.text) && one.at&toEnd == 0 && strings.HasSuffix(runs[i-1].text, one.text) &&
			runs[i-1].from+len(runs[i-1].text) == one.from+len(one.text) {
			continue
		}
		kept = append(kept, one)
	}
	return kept
}
