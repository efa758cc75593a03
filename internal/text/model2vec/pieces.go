package model2vec

import (
	"math"
	"slices"
	"unicode/utf8"

	"obsidian-mcp/internal/text/lexicon"
)

// wordPiece cuts words from the left into the longest pieces that it knows. A word with a rest that it does not know is dropped.
type wordPiece struct {
	words   *lexicon.Lexicon
	inner   string // marks pieces that do not begin a word
	longest int    // characters of a word that is not dropped; 0: any
}

func (w wordPiece) cut(word []byte, yield func(piece int)) {
	if w.longest > 0 && len(word) > w.longest && utf8.RuneCount(word) > w.longest {
		return
	}
	var few [16]int
	pieces := few[:0]
	for at := 0; at < len(word); {
		first := ""
		if at > 0 {
			first = w.inner
		}
		best, end := -1, 0
		w.words.Prefixes(first, word[at:], func(row, length int) {
			if at+length == len(word) || utf8.RuneStart(word[at+length]) {
				best, end = row, at+length
			}
		})
		if best < 0 {
			return
		}
		pieces, at = append(pieces, best), end
	}
	for _, piece := range pieces {
		yield(piece)
	}
}

// unigram cuts texts into the pieces whose scores have the largest sum.
type unigram struct {
	words   *lexicon.Lexicon
	scores  []float64
	unknown float64 // the score of a character that no piece has
}

// unknownPenalty is how much worse than the worst piece a character is that no piece has.
const unknownPenalty = 10

func newUnigram(words *lexicon.Lexicon, scores []float64) unigram {
	worst := 0.0
	if len(scores) > 0 {
		worst = slices.Min(scores)
	}
	return unigram{words, scores, worst - unknownPenalty}
}

// cut keeps, for each place in the text, the best way to reach it.
func (u unigram) cut(text []byte, yield func(piece int)) {
	type way struct {
		score       float64
		from, piece int
	}
	ways := make([]way, len(text)+1)
	for i := range ways[1:] {
		ways[i+1].score = math.Inf(-1)
	}
	for at := 0; at < len(text); {
		_, size := utf8.DecodeRune(text[at:])
		reach := func(to, piece int, score float64) {
			if total := ways[at].score + score; total > ways[to].score {
				ways[to] = way{total, at, piece}
			}
		}
		isKnown := false // as one character
		u.words.Prefixes("", text[at:], func(row, length int) {
			reach(at+length, row, u.scores[row])
			isKnown = isKnown || length == size
		})
		if !isKnown {
			reach(at+size, -1, u.unknown)
		}
		at += size
	}
	var pieces []int
	for at := len(text); at > 0; at = ways[at].from {
		if ways[at].piece >= 0 {
			pieces = append(pieces, ways[at].piece)
		}
	}
	for _, piece := range slices.Backward(pieces) {
		yield(piece)
	}
}
