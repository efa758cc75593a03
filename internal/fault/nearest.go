package fault

import (
	"fmt"
	"strings"
)

// Nearest returns the entry of names that the misspelt name most likely means, or "" if nothing is close.
func Nearest(name string, names []string) string {
	best, least := "", len([]rune(name))/3+2
	for _, candidate := range names {
		if d := Distance(strings.ToLower(name), strings.ToLower(candidate), least-1); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// DidYouMean ends a message about an unknown name: it suggests the nearest of names, or is empty if nothing is close.
func DidYouMean(name string, names []string) string {
	if near := Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// Distance is the Levenshtein distance: how many letters to insert, remove or change to turn a into b. If it is more
// than most, the result is most+1.
func Distance(a, b string, most int) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		diagonal := row[0]
		row[0] = i + 1
		least := row[0]
		for j := range to {
			cost := diagonal
			if from[i] != to[j] {
				cost = min(diagonal, row[j], row[j+1]) + 1
			}
			diagonal, row[j+1] = row[j+1], cost
			least = min(least, cost)
		}
		if least > most {
			return most + 1
		}
	}
	return min(row[len(to)], most+1)
}
