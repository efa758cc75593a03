// Package collate compares texts as people sort them, like the collation of the programs whose answers we give: marks
// before digits before letters; letter case and accents only if all else is equal, small letters first.
package collate

import (
	"cmp"
	"strings"
	"unicode"

	"obsidian-mcp/internal/text/fold"
)

// punctuation is the order of marks before digits and letters, as in the collation that the plugin's host uses.
const punctuation = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"

// Natural compares texts and takes the numbers in them by their value: 9 comes before 10.
func Natural(a, b string) int {
	if a == b {
		return 0
	}
	const digits = "0123456789"
	if !strings.ContainsAny(a, digits) || !strings.ContainsAny(b, digits) {
		if order, ok := ascii(a, b); ok {
			return order
		}
	}
	return cmp.Or(strings.Compare(NaturalKey(a), NaturalKey(b)), ties(a, b))
}

// Text compares texts character by character: 10 comes before 9.
func Text(a, b string) int {
	if a == b {
		return 0
	}
	if order, ok := ascii(a, b); ok {
		return order
	}
	if composed := string(fold.Compose([]byte(a))); composed == string(fold.Compose([]byte(b))) {
		return 0
	}
	return cmp.Or(strings.Compare(key(a, false), key(b, false)), ties(a, b))
}

// ascii compares texts that have only ASCII characters.
func ascii(a, b string) (order int, ok bool) {
	firstCase := 0 // of the first letter that differs only in its case
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x >= 0x80 || y >= 0x80 {
			return 0, false
		}
		if x == y {
			continue
		}
		if difference := cmp.Compare(asciiWeights[x], asciiWeights[y]); difference != 0 {
			if order == 0 {
				order = difference
			}
		} else if firstCase == 0 {
			firstCase = cmp.Compare(y, x) // a small letter has the larger code
		}
	}
	longer := a
	if len(b) > len(a) {
		longer = b
	}
	for i := min(len(a), len(b)); i < len(longer); i++ {
		if longer[i] >= 0x80 {
			return 0, false
		}
	}
	return cmp.Or(order, cmp.Compare(len(a), len(b)), firstCase), true
}

// asciiWeights are the weights of ASCII characters without their case.
var asciiWeights = func() (all [0x80]int) {
	for c := range all {
		all[c] = weight(unicode.ToLower(rune(c)))
	}
	return all
}()

// ties compares texts that are the same but for accents and letter case.
func ties(a, b string) int {
	return cmp.Or(cmp.Compare(accents(a), accents(b)), tertiary(a, b), strings.Compare(a, b))
}

// NaturalKey returns bytes that sort as Natural does, except for accents and letter case.
func NaturalKey(text string) string { return key(text, true) }

func key(text string, natural bool) string {
	runes := []rune(fold.String(text))
	key := make([]byte, 0, keySize*len(runes))
	for i := 0; i < len(runes); i++ {
		if !natural || !isDigit(runes[i]) {
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
	case isDigit(r):
		return digitWeight - 10 + int(r-'0')
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
		switch x, y := unicode.IsUpper(first[i]), unicode.IsUpper(second[i]); {
		case y && !x:
			return -1
		case x && !y:
			return 1
		}
	}
	return 0
}
