package corpus

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"obsidian-mcp/bench"
)

// perClass is the number of queries of a class.
const perClass = 15

// Classes are the kinds of query, in the order of the tables.
var Classes = []string{
	"1term-rare", "1term-mid", "1term-common", "3term-mid-AND", "3term-common-AND", "3term-OR",
	"question", "prefix", "cjk", "cyrillic", "phrase3", "phrase-common",
}

// Queries draws the queries of every class from the words of the vault.
func (c *Corpus) Queries() map[string][]bench.Query {
	w := c.words
	rare, mid, common := w.rarest(unicode.Latin), w.middling(unicode.Latin), w.commonest(unicode.Latin)
	drawn := map[string][]bench.Query{}
	add := func(class string, kind bench.Kind, terms ...string) {
		asked := slices.ContainsFunc(drawn[class], func(have bench.Query) bool { return slices.Equal(have.Terms, terms) })
		if !asked && !slices.Contains(terms, "") {
			drawn[class] = append(drawn[class], bench.Query{Class: class, Kind: kind, Terms: terms})
		}
	}
	for i := range perClass {
		add("1term-rare", bench.All, pick(rare, i))
		add("1term-mid", bench.All, pick(mid, i))
		add("1term-common", bench.All, pick(common, i))
		add("3term-common-AND", bench.All, pick(common, i), pick(common, i+5), pick(common, i+9))
		add("3term-OR", bench.Any, pick(common, i), pick(mid, i), pick(mid, i+7))
		add("question", bench.Asked, pick(common, i), pick(common, i+2), pick(common, i+3), pick(mid, i), pick(common, i+6),
			pick(common, i+8), pick(mid, i+4), pick(rare, i), pick(common, i+11), pick(mid, i+9))
		add("prefix", bench.Prefix, beginning(pick(mid, i)))
		add("cjk", bench.All, pick(w.middling(unicode.Han), i))
		add("cyrillic", bench.All, pick(w.middling(unicode.Cyrillic), i))
	}
	for i, terms := range w.meeting(mid) {
		if i < perClass {
			add("3term-mid-AND", bench.All, terms...)
		}
	}
	for _, terms := range w.neighbours(3, func(string) bool { return true }) {
		add("phrase3", bench.Phrase, terms...)
	}
	for _, terms := range w.neighbours(2, func(word string) bool { return slices.Contains(common, word) }) {
		add("phrase-common", bench.Phrase, terms...)
	}
	return drawn
}

// pick returns the nth of perClass words, spread evenly over a list.
func pick(list []string, n int) string {
	if len(list) == 0 {
		return ""
	}
	return list[(n%perClass)*len(list)/perClass]
}

func beginning(word string) string { return word[:min(4, len(word))] }

// meeting finds, in each of the kept notes, three of the given words, so that a query for all of them has an
// answer.
func (w *words) meeting(given []string) [][]string {
	wanted := map[string]bool{}
	for _, word := range given {
		wanted[word] = true
	}
	var found [][]string
	for _, text := range w.texts {
		var terms []string
		for token := range strings.FieldsFuncSeq(text, isGap) {
			if wanted[token] && !slices.Contains(terms, token) && len(terms) < 3 {
				terms = append(terms, token)
			}
		}
		if len(terms) == 3 {
			found = append(found, terms)
		}
	}
	return found
}

// neighbours finds consecutive words, one phrase per note.
func (w *words) neighbours(size int, fits func(string) bool) [][]string {
	var found [][]string
	for i, text := range w.texts {
		if len(found) == perClass {
			break
		}
		for line := range strings.Lines(text) {
			terms := phraseOf(line, size, 5+i, fits)
			known := slices.ContainsFunc(found, func(have []string) bool { return slices.Equal(have, terms) })
			if terms != nil && !known {
				found = append(found, terms)
				break
			}
		}
	}
	return found
}

// phraseOf takes a phrase from the middle of a line of plain Latin words.
func phraseOf(line string, size, from int, fits func(string) bool) []string {
	tokens := strings.Fields(line)
	for start := from % 12; start+size <= len(tokens); start++ {
		phrase := tokens[start : start+size]
		good := func(word string) bool { return written(word, unicode.Latin) && fits(word) }
		if len(tokens) > 20 && !slices.ContainsFunc(phrase, func(word string) bool { return !good(word) }) {
			return phrase
		}
	}
	return nil
}

// Patterns are the regular expressions: literals and classes as they are
// searched for, rare and common, with and without a literal part.
func (c *Corpus) Patterns() []bench.Pattern {
	w := c.words
	longest := func(list []string) string {
		return slices.MaxFunc(list, func(a, b string) int { return len(a) - len(b) })
	}
	rare, common := longest(w.rarest(unicode.Latin)), longest(w.commonest(unicode.Latin))
	mid := w.middling(unicode.Latin)
	return []bench.Pattern{
		{Name: "literal-absent", Expr: "xylophonebox"},
		{Name: "literal-rare", Expr: rare},
		{Name: "literal-common", Expr: common},
		{Name: "regex-rare", Expr: rare + `\w* \w+`},
		{Name: "regex-rare-noliteral", Expr: `[0-9]{3}[a-z]{3}`},
		{Name: "regex-common", Expr: `\b` + common + `\w* [a-z]+`},
		{Name: "regex-date", Expr: `\b\d{4}-\d{2}-\d{2}\b`},
		{Name: "alternation", Expr: fmt.Sprintf("%s|%s|%s", rare, pick(mid, 3), pick(mid, 9))},
		{Name: "casei-rare", Expr: "(?i)" + strings.ToUpper(rare)},
		{Name: "casei-common", Expr: "(?i)" + strings.ToUpper(common)},
		{Name: "cyrillic", Expr: longest(w.middling(unicode.Cyrillic))},
		{Name: "cjk", Expr: longest(w.middling(unicode.Han))},
	}
}
