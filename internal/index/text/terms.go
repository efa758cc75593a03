package text

import (
	"bytes"
	"strings"
)

// Factors for the weight of a term, by how close it is to the word that was asked for.
const (
	asIs     = 1.0
	asForm   = 0.5 // another form of the word
	asPrefix = 0.6
	inside   = 0.25
	asTypo   = 0.35
)

// edges say where in a token a piece of text may be.
type edges uint8

const (
	fromStart edges = 1 << iota // at the start of the token
	toEnd                       // at the end of the token
)

// fits reports whether a term contains a piece at the required edges.
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

// matching yields the terms that contain a piece at the required edges. Very short pieces that need not be at the
// start are searched for in the whole dictionary.
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

// byTrigram yields the terms that may contain a piece: those that have its two rarest trigrams.
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

// distance measures how far two words are apart: letters to insert, delete or replace, and neighbours to swap.
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

// run is a piece of a literal that lies within a single token.
type run struct {
	text  string
	edges edges
	from  int // offset in the literal
}

// runsOf cuts a folded literal into the tokens that a text with the literal must have. The tokens at its edges may
// continue in the text, unless the literal is bounded.
func runsOf(literal string, bounded bool) []run {
	var runs []run
	var t tokenizer
	t.each([]byte(literal), func(term []byte, at int) {
		runs = append(runs, run{text: string(term), edges: fromStart | toEnd, from: at})
	})
	for i := range runs {
		run := &runs[i]
		unspaced := isUnspaced(run.text)
		first, last := onlyMarks(literal[:run.from]), onlyMarks(literal[min(len(literal), run.from+len(run.text)):])
		switch {
		case unspaced && i+1 < len(runs) && runs[i+1].from < run.from+len(run.text):
			if last {
				run.edges = fromStart // a mark may follow its second character
			}
		case unspaced && last:
			run.edges = fromStart // the next character may form another pair with it
		case unspaced:
		case len(run.text) > maxPiece:
			run.text = cutPiece(run.text)
			run.edges = 0
		case !bounded && first && last:
			run.edges = 0
		case !bounded && first:
			run.edges = toEnd
		case !bounded && last:
			run.edges = fromStart
		}
	}
	return dropCovered(runs)
}

// onlyMarks reports whether a text has nothing but marks, which belong to the token next to them.
func onlyMarks(text string) bool {
	for _, r := range text {
		if !joinsBefore(r) {
			return false
		}
	}
	return true
}

// cutPiece shortens a long token to a piece that one of the token's terms is sure to contain.
func cutPiece(token string) string {
	end := maxPiece
	for end > 0 && token[end]&0xC0 == 0x80 {
		end--
	}
	return token[:end]
}

// dropCovered drops the last character of a run without spaces if it is already the second one of a pair.
func dropCovered(runs []run) []run {
	rest := runs[:0]
	for i, run := range runs {
		if i > 0 && isUnspaced(run.text) && run.edges&toEnd == 0 && strings.HasSuffix(runs[i-1].text, run.text) &&
			runs[i-1].from+len(runs[i-1].text) == run.from+len(run.text) {
			continue
		}
		rest = append(rest, run)
	}
	return rest
}
