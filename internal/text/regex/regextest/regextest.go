// Package regextest generates patterns in ripgrep's syntax for tests: all of the syntax, nested at random, and mistakes
// too.
package regextest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Patterns generates n patterns around some words. About one in eight is likely to be invalid.
func Patterns(random *rand.Rand, n int, words []string) []string {
	g := &generator{random: random, words: words}
	patterns := make([]string, n)
	for i := range patterns {
		patterns[i] = g.pattern()
	}
	return patterns
}

type generator struct {
	random *rand.Rand
	words  []string
	names  int
}

func (g *generator) pick(choices ...string) string { return choices[g.random.IntN(len(choices))] }

func (g *generator) chance(percent int) bool { return g.random.IntN(100) < percent }

func (g *generator) pattern() string {
	g.names = 0
	text := g.alternation(1 + g.random.IntN(3))
	if g.chance(20) {
		text = g.pick("(?i)", "(?s)", "(?m)", "(?-m)", "(?U)", "(?x)", "(?R)", "(?i-s)", "(?-u)", "(?iu)", "(?xi)") + text
	}
	if g.chance(8) {
		text = g.damaged(text)
	}
	return text
}

// damaged inserts something, removes something or cuts the text off.
func (g *generator) damaged(text string) string {
	runes := []rune(text)
	at := g.random.IntN(len(runes) + 1)
	switch g.random.IntN(3) {
	case 0:
		return string(runes[:at])
	case 1:
		return string(runes[:at]) + string(runes[min(at+1, len(runes)):])
	default:
		return string(runes[:at]) + g.mistake() + string(runes[at:])
	}
}

func (g *generator) mistake() string {
	return g.pick("(", ")", "[", "]", "{", "}", "*", "?", "+", "|", "\\", "\\n", "{2", "{,3}", "{3,2}", "(?=a)", "(?!a)", "(?<=a)",
		"\\1", "\\8", "(?P=n)", "(?P<n", "(?<1>a)", "(?q)", "(?i-)", "(?ii)", "(?", "[a", "[z-a]", "[\\b]", "[a-\\d]", "\\y", "\\x", "\\xZZ",
		"\\x{110000}", "\\u{d800}", "\\p{Nothing}", "\\p", "\\b{stop}", "\\b{", "[[:alpha:]", "[[:nope:]]", "\\x00", "(?P<n>a)(?P<n>b)", "a**", "^*",
		"(?i)*", "[[a]&&]", "[a--]", "[&&a]", "\\é", "\\Z", "\\G", "\\h", "\\R", "(?#c)", "(?>a)", "\\Qa\\E", "{", "a{}", "a{ 1 , 2 }", "[]", "[^]", "[]a]", "[^]a]")
}

func (g *generator) alternation(depth int) string {
	n := 1
	if g.chance(25) {
		n += 1 + g.random.IntN(3)
	}
	choices := make([]string, n)
	for i := range choices {
		choices[i] = g.concat(depth)
	}
	return strings.Join(choices, "|")
}

func (g *generator) concat(depth int) string {
	var text strings.Builder
	for range 1 + g.random.IntN(4) {
		atom := g.atom(depth)
		text.WriteString(atom)
		if g.chance(30) {
			text.WriteString(g.quantifier())
		}
	}
	return text.String()
}

func (g *generator) quantifier() string {
	text := g.pick("*", "+", "?", "*", "+", "?", fmt.Sprintf("{%d}", g.random.IntN(4)), fmt.Sprintf("{%d,}", g.random.IntN(3)),
		fmt.Sprintf("{%d,%d}", g.random.IntN(3), 2+g.random.IntN(4)))
	if g.chance(15) {
		text += g.pick("?", "+", "*")
	}
	return text
}

func (g *generator) atom(depth int) string {
	switch g.random.IntN(12) {
	case 0, 1, 2:
		return g.word()
	case 3:
		return g.escaped()
	case 4:
		return g.pick(".", ".", " ", "-", ",", "#", "&", "~", "/", "<", "=", "!", "%", "_", "\t", "}", "]")
	case 5:
		return g.pick("^", "$", `\b`, `\B`, `\<`, `\>`, `\b{start}`, `\b{end}`, `\b{start-half}`, `\b{end-half}`, `\A`, `\z`, "(?-u:\\b)", "(?-u:\\B)")
	case 6, 7:
		return g.pick(`\w`, `\d`, `\s`, `\W`, `\D`, `\S`, `(?-u:\w)`, `(?-u:\W)`, `(?-u:\s)`, `(?-u:.)`, `(?-u:\D)`)
	case 8:
		return g.property()
	case 9, 10:
		return g.class(depth)
	}
	if depth <= 0 {
		return g.word()
	}
	return g.group(depth - 1)
}

// word returns a word or a part of one.
func (g *generator) word() string {
	runes := []rune(g.words[g.random.IntN(len(g.words))])
	if len(runes) > 1 && g.chance(50) {
		from := g.random.IntN(len(runes))
		runes = runes[from : from+1+g.random.IntN(len(runes)-from)]
	}
	var text strings.Builder
	for _, r := range runes {
		if strings.ContainsRune(`\.+*?()|[]{}^$#&-~`, r) {
			text.WriteByte('\\')
		}
		text.WriteRune(r)
	}
	return text.String()
}

func (g *generator) group(depth int) string {
	inner := g.alternation(depth)
	switch g.random.IntN(4) {
	case 0:
		g.names++
		return fmt.Sprintf(g.pick("(?P<n%d>%s)", "(?<n%d>%s)"), g.names, inner)
	case 1:
		return "(?" + g.pick("", "i", "-i", "s", "x", "i-s", "R", "U", "-u", "m", "-m") + ":" + inner + ")"
	default:
		return "(" + g.pick("", "?:") + inner + ")"
	}
}

func (g *generator) escaped() string {
	r := []rune(g.words[g.random.IntN(len(g.words))])[0]
	switch g.random.IntN(6) {
	case 0:
		return fmt.Sprintf(`\x{%x}`, r)
	case 1:
		return fmt.Sprintf(`\u%04X`, r&0x7fff)
	case 2:
		return fmt.Sprintf(`\U%08x`, r)
	case 3:
		return fmt.Sprintf(`\x%02x`, r&0x7f|0x20)
	case 4:
		return g.pick(`\t`, `\r`, `\f`, `\v`, `\a`, `\/`, `\-`, `\ `, `\"`, `\@`, `(?-u:\xff)`, `(?-u:\xe2)`)
	default:
		return `\` + g.pick(strings.Split(`\.+*?()|[]{}^$#&-~`, "")...)
	}
}

func (g *generator) property() string {
	name := g.pick("L", "Lu", "Ll", "Nd", "M", "Mn", "P", "Pd", "S", "So", "Z", "C", "Cn", "LC", "Letter", "uppercase letter", "Decimal_Number",
		"Greek", "Cyrillic", "Han", "Latin", "isGreek", "sc=Hiragana", "Script=Cyrl", "scx!=Grek", "gc:Lu", "Alphabetic", "Lowercase", "Uppercase",
		"White_Space", "ASCII", "Any", "Assigned", "Emoji", "Extended_Pictographic", "Ideographic", "Math", "Cased", "Hex_Digit")
	if g.chance(20) {
		return `\` + g.pick("p", "P") + g.pick("L", "N", "P", "Z", "S", "C", "M")
	}
	return `\` + g.pick("p", "P") + "{" + name + "}"
}

func (g *generator) class(depth int) string {
	var text strings.Builder
	text.WriteString("[" + g.pick("", "", "", "^"))
	for range 1 + g.random.IntN(4) {
		text.WriteString(g.classItem(depth))
	}
	if depth > 0 && g.chance(25) {
		text.WriteString(g.pick("&&", "--", "~~") + g.classItem(depth))
	}
	return text.String() + "]"
}

func (g *generator) classItem(depth int) string {
	switch g.random.IntN(9) {
	case 0:
		return g.pick("a-z", "A-Z", "0-9", "а-я", "a-f", "!-~", "\\x00-\\x7f", "α-ω", "一-龥", "\\x{80}-\\x{10FFFF}")
	case 1:
		return g.pick(`\w`, `\d`, `\s`, `\W`, `\D`, `\S`)
	case 2:
		return g.property()
	case 3:
		return "[:" + g.pick("", "^") + g.pick("alpha", "digit", "alnum", "upper", "lower", "space", "punct", "word", "xdigit", "blank", "cntrl", "graph",
			"print", "ascii") + ":]"
	case 4:
		return g.pick(`\]`, `\[`, `\-`, `\^`, `\\`, `\n`, `\r`, `\t`, "-", " ", "^", ".", "$", "*", "é", "ß", "k", "S")
	case 5:
		if depth > 0 {
			return g.class(depth - 1)
		}
	}
	word := []rune(g.words[g.random.IntN(len(g.words))])
	r := word[g.random.IntN(len(word))]
	if strings.ContainsRune(`\[]^-&~#`, r) {
		return `\` + string(r)
	}
	return string(r)
}
