package summary

import (
	"math"
	"strings"

	"obsidian-mcp/internal/text/order"
)

// Parameters of the choice, tuned on the judged notes in testdata.
const (
	duplicateLikeness = 0.85 // above this likeness a piece repeats a chosen one
	likenessCost      = 0.6  // the share of its value that a piece loses if it equals a chosen one
	sectionCost       = 0.12 // the cost of each piece already chosen from the same section
	worthKeeping      = 0.27 // the share of the best value below which pieces are only padding
)

// choose picks the best pieces that fit into the budget, one at a time. A piece loses value the more it repeats chosen
// pieces and the more pieces its section already has. The result is in the order of the note.
func choose(pieces []piece, budget int) []*piece {
	var chosen []*piece
	likeness := make([]float64, len(pieces)) // to the most similar chosen piece
	taken := make([]bool, len(pieces))
	fromSection := map[int]int{}
	worst, allFit := 0.0, wordsOf(pieces) <= budget
	for {
		best, bestValue := -1, worst
		for i := range pieces {
			p := &pieces[i]
			follows := i > 0 && taken[i-1] && pieces[i-1].precedes(p)
			if taken[i] || p.words > budget || likeness[i] > duplicateLikeness || p.continues && !follows {
				continue // the rest of a sentence is useless without its start
			}
			value := p.score * (1 - likenessCost*likeness[i]) / (1 + sectionCost*float64(fromSection[p.unit.section]))
			if follows {
				value *= p.backReference
			}
			if value > bestValue {
				best, bestValue = i, value
			}
		}
		if best < 0 {
			break
		}
		taken[best] = true
		p := &pieces[best]
		budget -= p.words
		fromSection[p.unit.section]++
		if len(chosen) == 0 && !allFit {
			worst = bestValue * worthKeeping
		}
		chosen = append(chosen, p)
		compare(pieces, p, likeness)
	}
	order.By(chosen, func(a, b *piece) int { return a.index - b.index })
	return chosen
}

func wordsOf(pieces []piece) int {
	sum := 0
	for i := range pieces {
		sum += pieces[i].words
	}
	return sum
}

// compare updates the likeness of each piece to the chosen ones: 1 for the same text, else the share of common terms.
func compare(pieces []piece, chosen *piece, likeness []float64) {
	for i := range pieces {
		if strings.EqualFold(pieces[i].text, chosen.text) {
			likeness[i] = 1
		}
	}
	if len(chosen.terms) == 0 {
		return
	}
	has := make(map[int32]bool, len(chosen.terms))
	for _, term := range chosen.terms {
		has[term] = true
	}
	for i := range pieces {
		common := 0
		for _, term := range pieces[i].terms {
			if has[term] {
				common++
			}
		}
		if common > 0 {
			alike := float64(common) / math.Sqrt(float64(len(pieces[i].terms)*len(chosen.terms)))
			likeness[i] = max(likeness[i], alike)
		}
	}
}
