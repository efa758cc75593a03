package summary

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// vocabulary holds the terms of a note.
type vocabulary struct {
	ids     map[string]int32
	names   []string
	counts  []int // how often the note has the term
	weights []float64
	ask     func(string) float64
}

// add takes in a text and gives its terms, each once.
func (v *vocabulary) add(text string) []int32 {
	var found []int32
	terms(text, func(term string) {
		id, known := v.ids[term]
		if !known {
			id = int32(len(v.names))
			term = strings.Clone(term)
			v.ids[term] = id
			v.names = append(v.names, term)
			v.counts = append(v.counts, 0)
		}
		v.counts[id]++
		found = append(found, id)
	})
	slices.Sort(found)
	return slices.Compact(found)
}

// settle weighs the terms, once all are in; the heaviest weighs one.
func (v *vocabulary) settle() {
	v.weights = make([]float64, len(v.names))
	most := 1e-9
	for id, name := range v.names {
		v.weights[id] = v.weigh(name)
		most = max(most, v.weights[id])
	}
	for id := range v.weights {
		v.weights[id] /= most
	}
}

// weigh asks how telling a term is. Nobody to ask: longer words say more.
func (v *vocabulary) weigh(term string) float64 {
	if v.ask != nil {
		if weight := v.ask(term); weight > 0 {
			return min(weight, 1e6)
		}
		return 0
	}
	length := utf8.RuneCountInString(term)
	if first, _ := utf8.DecodeRuneInString(term); standsAlone(first) {
		length *= 3
	}
	return float64(max(min(length, 8)-1, 1))
}

// find gives the terms of a text that the note has too.
func (v *vocabulary) find(text string) []int32 {
	var found []int32
	terms(text, func(term string) {
		if id, known := v.ids[term]; known {
			found = append(found, id)
		}
	})
	slices.Sort(found)
	return slices.Compact(found)
}

// central says how much of what the note speaks about is in these terms. A
// long sentence has more of it, but not for being long alone.
func (v *vocabulary) central(terms []int32) float64 {
	sum := 0.0
	for _, id := range terms {
		sum += v.weights[id] * math.Log2(0.5+float64(v.counts[id]))
	}
	return sum / math.Pow(float64(len(terms)+4), 0.8)
}

// overlap is the share of wanted, by weight, that is in terms.
func (v *vocabulary) overlap(terms, wanted []int32) float64 {
	shared, all := 0.0, 0.0
	for _, id := range wanted {
		all += v.weights[id]
		if _, found := slices.BinarySearch(terms, id); found {
			shared += v.weights[id]
		}
	}
	if all == 0 {
		return 0
	}
	return shared / all
}
