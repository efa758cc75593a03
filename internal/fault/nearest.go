package fault

import "strings"

// Nearest returns the entry of names that the misspelt name most likely means, or "" if nothing is close.
func Nearest(name string, names []string) string {
	best, least := "", len([]rune(name))/3+2
	for _, candidate := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(candidate)); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// distance is the Levenshtein distance: how many letters to insert, remove or change to turn a into b.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j := range to {
			cost := diagonal
			if from[i] != to[j] {
				cost = min(diagonal, row[j], row[j+1]) + 1
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(to)]
}
