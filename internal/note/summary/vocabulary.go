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
	counts  []int // how often each term occurs in the note
	weights []float64
	ask     func(string) float64
}

// add adds a text and returns its terms, sorted and without duplicates.
func (v *vocabulary) add(text string) []int32 {
	var found []int32
	terms(text, func(term string) {
		id, ok := v.ids[term]
		if !ok {
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

// settle computes the weights after all texts have been added. The largest is 1.
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

// weigh returns the weight of a term. Without a weight function, longer words weigh more.
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

// find returns the terms of a text that occur in the note.
func (v *vocabulary) find(text string) []int32 {
	var found []int32
	terms(text, func(term string) {
		if id, ok := v.ids[term]; ok {
			found = append(found, id)
		}
	})
	slices.Sort(found)
	return slices.Compact(found)
}

// central rates how well these terms cover the subject of the note. The divisor keeps long sentences from winning just
// because they are long.
func (v *vocabulary) central(terms []int32) float64 {
	sum := 0.0
	for _, id := range terms {
		sum += v.weights[id] * math.Log2(0.5+float64(v.counts[id]))
	}
	return sum / math.Pow(float64(len(terms)+4), 0.8)
}

// overlap returns the share of wanted, by weight, that occurs in terms.
func (v *vocabulary) overlap(terms, wanted []int32) float64 {
	shared, total := 0.0, 0.0
	for _, id := range wanted {
		total += v.weights[id]
		if _, found := slices.BinarySearch(terms, id); found {
			shared += v.weights[id]
		}
	}
	if total == 0 {
		return 0
	}
	return shared / total
}
