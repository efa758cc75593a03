package summary

import (
	"slices"
	"strings"
)

// piece is what a summary is made of: a sentence, or a list item.
type piece struct {
	unit  *unit
	text  string
	start int // of the text, in the unit's
	place int // among all pieces of the note
	words int // with the mark before it

	opens     bool // first of its unit
	leads     bool // first of its section
	goesOn    bool // the sentence goes on after it
	continues bool // the sentence started before it

	terms  []int32 // which, each once, in order
	score  float64
	leaned float64 // what the score is divided by for leaning on the piece before
}

const (
	// shortItem is how many words a list item may have that is taken whole.
	shortItem = 40
	// maxPieces is how many are compared with each other.
	maxPieces = 2000
	// headPieces are those at a note's start, of which none is left out.
	headPieces = 300
)

// cutPieces cuts units into sentences; short list items that fit stay whole.
func cutPieces(units []unit, budget int) []piece {
	pieces := make([]piece, 0, 2*len(units))
	section := -2
	for i := range units {
		u := &units[i]
		first := len(pieces)
		if u.kind != paragraph && u.kind != quote && u.kind != callout && u.words <= min(shortItem, budget) {
			pieces = appendPiece(pieces, piece{unit: u, text: u.text})
		} else {
			pieces = appendSentences(pieces, u, budget)
		}
		if first < len(pieces) {
			pieces[first].opens = true
			pieces[first].leads = u.section != section
			section = u.section
		}
	}
	return pieces
}

func appendSentences(pieces []piece, u *unit, budget int) []piece {
	goesOn := false
	sentences(u.text, func(start, end int, more bool) {
		next := piece{unit: u, start: start, text: u.text[start:end], goesOn: more, continues: goesOn}
		goesOn = more
		if len(pieces) > 0 && runsInto(&pieces[len(pieces)-1], &next, budget) {
			last := &pieces[len(pieces)-1]
			last.text, last.goesOn = u.text[:end], more
			last.words = countWords(last.text) + markWords(u)
			return
		}
		pieces = appendPiece(pieces, next)
	})
	return pieces
}

// runIn is how many words a first sentence may have that only announces the
// next, such as "What it costs."; the two stay together, where they fit.
const runIn = 5

func runsInto(first, second *piece, budget int) bool {
	return first.unit == second.unit && first.start == 0 && !strings.EqualFold(first.text, second.text) && first.words <= runIn && !first.goesOn &&
		!first.breaksBefore(second) && first.words+countWords(second.text) <= budget
}

// breaksBefore reports whether a line ends between two pieces of a unit.
func (p *piece) breaksBefore(next *piece) bool {
	return strings.Contains(p.unit.text[p.start+len(p.text):next.start], "\n")
}

// appendPiece leaves out what is not worth reading: a piece without words, or
// with hardly any in much else.
func appendPiece(pieces []piece, p piece) []piece {
	words := countWords(p.text)
	if words == 0 || len(p.text) > 200+160*words {
		return pieces
	}
	p.words = words + markWords(p.unit)
	p.place = len(pieces)
	return append(pieces, p)
}

// sample keeps a note's first pieces and, of the rest, those that open a
// section before those that open a paragraph before any others, evenly spread.
func sample(pieces []piece, limit int) []piece {
	if len(pieces) <= limit {
		return pieces
	}
	kept := make([]int, 0, limit)
	for i := range headPieces {
		kept = append(kept, i)
	}
	for level := range 3 {
		var found []int
		for i := headPieces; i < len(pieces); i++ {
			if levelOf(&pieces[i]) == level {
				found = append(found, i)
			}
		}
		room := min(limit-len(kept), len(found))
		for i := range room {
			kept = append(kept, found[i*len(found)/room])
		}
	}
	slices.Sort(kept)
	sampled := make([]piece, len(kept))
	for i, at := range kept {
		sampled[i] = pieces[at]
	}
	return sampled
}

func levelOf(p *piece) int {
	switch {
	case p.leads:
		return 0
	case p.opens:
		return 1
	}
	return 2
}
