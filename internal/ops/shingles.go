package ops

import (
	"strings"
	"unicode"
)

// shingleWords is how many words in a row are compared.
const shingleWords = 4

// shinglesOf returns every run of a few words of a text, as numbers. Texts with many common ones say nearly the same.
func shinglesOf(text string) map[uint64]bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	all := map[uint64]bool{}
	for i := range words {
		if i > 0 && i+shingleWords > len(words) {
			break
		}
		hash := uint64(14695981039346656037) // FNV-1a
		for _, word := range words[i:min(i+shingleWords, len(words))] {
			for at := range len(word) {
				hash = (hash ^ uint64(word[at])) * 1099511628211
			}
			hash *= 1099511628211 // the end of a word
		}
		all[hash] = true
	}
	return all
}

// alike is the share of shingles that two texts have in common, of those of the shorter one.
func alike(a, b map[uint64]bool) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 {
		return 0
	}
	common := 0
	for shingle := range a {
		if b[shingle] {
			common++
		}
	}
	return float64(common) / float64(len(a))
}
