package summary

import (
	"slices"
	"strings"
)

// piece is a sentence or a list item, the unit that a summary is made of.
type piece struct {
	unit  *unit
	text  string
	start int // offset of the text in the unit's text
	index int // among all pieces of the note
	words int // including the mark before it

	opens     bool // first of its unit
	leads     bool // first of its section
	goesOn    bool // the sentence continues after it
	continues bool // the sentence started before it

	terms         []int32 // sorted, without duplicates
	score         float64
	backReference float64 // the divisor in the score for referring to the piece before
}

const (
	// shortItem is how many words a list item may have to stay in one piece.
	shortItem = 40
	// maxPieces bounds how many pieces are compared with each other.
	maxPieces = 2000
	// headPieces is how many pieces at the start of a note are always kept.
	headPieces = 300
)

// cutPieces splits units into sentences. Short list items that fit stay in one piece.
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

// runIn is how many words a first sentence may have to count as an announcement of the next, such as "What it costs.".
// The two stay together if they fit.
const runIn = 5

func runsInto(first, second *piece, budget int) bool {
	return first.unit == second.unit && first.start == 0 && !strings.EqualFold(first.text, second.text) &&
		first.words <= runIn && !first.goesOn && !first.breaksBefore(second) &&
		first.words+countWords(second.text) <= budget
}

// precedes reports whether next directly follows p in the same unit.
func (p *piece) precedes(next *piece) bool { return p.unit == next.unit && p.index == next.index-1 }

// breaksBefore reports whether there is a line break between two pieces of a unit.
func (p *piece) breaksBefore(next *piece) bool {
	return strings.Contains(p.unit.text[p.start+len(p.text):next.start], "\n")
}

// appendPiece appends a piece unless it has no words, or hardly any among many other characters.
func appendPiece(pieces []piece, p piece) []piece {
	words := countWords(p.text)
	if words == 0 || len(p.text) > 200+160*words {
		return pieces
	}
	p.words = words + markWords(p.unit)
	p.index = len(pieces)
	return append(pieces, p)
}

// sample reduces the pieces to a limit. It keeps the first pieces of the note and, of the rest, preferably those that open
// a section, then those that open a paragraph, then others, evenly spread.
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
