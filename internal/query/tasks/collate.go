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
	if order := strings.Compare(sortKey(a), sortKey(b)); order != 0 {
		return order
	}
	return cmp.Or(cmp.Compare(accents(a), accents(b)), tertiary(a, b), strings.Compare(a, b))
}

// sortKey returns bytes that sort as a text does without accents and letter case.
func sortKey(text string) string {
	runes := []rune(fold.String(text))
	key := make([]byte, 0, keySize*len(runes))
	for i := 0; i < len(runes); i++ {
		if !isDigit(runes[i]) {
			key = appendWeight(key, weight(runes[i]))
			continue
		}
		end := digitsAt(runes, i)
		digits := strings.TrimLeft(string(runes[i:end]), "0")
		key = appendWeight(appendWeight(key, digitWeight), len(digits))
		key = append(key, digits...)
		i = end - 1
	}
	return string(key)
}

const keySize = 3

// appendWeight adds a number of three bytes.
func appendWeight(key []byte, weight int) []byte {
	return append(key, byte(weight>>16), byte(weight>>8), byte(weight))
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func digitsAt(text []rune, at int) int {
	for at < len(text) && isDigit(text[at]) {
		at++
	}
	return at
}

// weight is the place of a character: white space, marks, symbols, digits, letters.
func weight(r rune) int {
	const symbols, letters = 1 << 10, digitWeight + 1
	switch at := strings.IndexRune(punctuation, r); {
	case unicode.IsSpace(r):
		return 0
	case at >= 0:
		return 1 + at
	case unicode.IsLetter(r):
		return letters + int(r)
	}
	return symbols + int(r)
}

// digitWeight is the place of numbers, after all symbols.
const digitWeight = 1 << 21

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
