package tasks

import (
	"cmp"
	"strings"
	"unicode"

	"obsidian-mcp/internal/text/fold"
)

// punctuation is the order of marks before digits and letters, as in the collation that the plugin's host uses.
const punctuation = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"

// collate compares texts as people sort them: marks before digits before letters, numbers by their value, letter case and
// accents only if all else is equal, small letters first.
func collate(a, b string) int {
	if a == b {
		return 0
	}
	return cmp.Or(primary(fold.String(a), fold.String(b)), cmp.Compare(accents(a), accents(b)), tertiary(a, b), strings.Compare(a, b))
}

// primary compares texts without accents and letter case.
func primary(a, b string) int {
	first, second := []rune(a), []rune(b)
	for i, j := 0, 0; ; {
		if i == len(first) || j == len(second) {
			return cmp.Compare(len(first)-i, len(second)-j)
		}
		if isDigit(first[i]) && isDigit(second[j]) {
			m, n := digitsAt(first, i), digitsAt(second, j)
			if order := compareNumbers(first[i:m], second[j:n]); order != 0 {
				return order
			}
			i, j = m, n
			continue
		}
		if order := cmp.Compare(weight(first[i]), weight(second[j])); order != 0 {
			return order
		}
		i, j = i+1, j+1
	}
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func digitsAt(text []rune, at int) int {
	for at < len(text) && isDigit(text[at]) {
		at++
	}
	return at
}

func compareNumbers(a, b []rune) int {
	first, second := strings.TrimLeft(string(a), "0"), strings.TrimLeft(string(b), "0")
	return cmp.Or(cmp.Compare(len(first), len(second)), strings.Compare(first, second))
}

// weight is the place of a character: white space, marks, symbols, digits, letters.
func weight(r rune) int {
	const symbols, digits, letters = 1 << 10, 1 << 21, 1 << 22
	switch at := strings.IndexRune(punctuation, r); {
	case unicode.IsSpace(r):
		return 0
	case at >= 0:
		return 1 + at
	case isDigit(r):
		return digits + int(r)
	case unicode.IsLetter(r):
		return letters + int(r)
	}
	return symbols + int(r)
}

// accents returns the accents of a text, in their places.
func accents(text string) string {
	var out strings.Builder
	for _, r := range text {
		lower := string(unicode.ToLower(r))
		if fold.String(lower) != lower {
			out.WriteString(lower)
		} else {
			out.WriteByte(0)
		}
	}
	return out.String()
}

// tertiary compares letter case: small letters come first.
func tertiary(a, b string) int {
	first, second := []rune(a), []rune(b)
	for i := range min(len(first), len(second)) {
		if order := cmp.Compare(boolOrder(unicode.IsUpper(first[i])), boolOrder(unicode.IsUpper(second[i]))); order != 0 {
			return order
		}
	}
	return 0
}
