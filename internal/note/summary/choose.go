package summary

import (
	"math"
	"slices"
	"strings"
)

// How pieces compete, found by trying on the judged notes under testdata.
const (
	repeated  = 0.85 // so alike that it says the same
	likeCost  = 0.6  // of a piece's worth, if it were just like another
	againCost = 0.12 // for each piece that its section has had
	padding   = 0.27 // of the best piece's worth: what is below is not missed
)

// choose picks the best pieces that fit, one by one: each is worth less the
// more it repeats what was picked before, and the more its section has had.
func choose(pieces []piece, budget int) []*piece {
	var chosen []*piece
	likeness := make([]float64, len(pieces)) // to the most alike of those chosen
	taken := make([]bool, len(pieces))
	fromSection := map[int]int{}
	worst, allFit := 0.0, wordsOf(pieces) <= budget
	for {
		best, bestValue := -1, worst
		for i := range pieces {
			p := &pieces[i]
			follows := i > 0 && taken[i-1] && pieces[i-1].unit == p.unit && pieces[i-1].place == p.place-1
			if taken[i] || p.words > budget || likeness[i] > repeated || p.continues && !follows {
				continue // the rest of a sentence says nothing without its start
			}
			value := p.score * (1 - likeCost*likeness[i]) / (1 + againCost*float64(fromSection[p.unit.section]))
			if follows {
				value *= p.leaned
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
			worst = bestValue * padding
		}
		chosen = append(chosen, p)
		compare(pieces, p, likeness)
	}
	slices.SortFunc(chosen, func(a, b *piece) int { return a.place - b.place })
	return chosen
}

func wordsOf(pieces []piece) int {
	sum := 0
	for i := range pieces {
		sum += pieces[i].words
	}
	return sum
}

// compare notes how much each piece is like the one just chosen: the share of
// terms that they have in common, or all of it.
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
