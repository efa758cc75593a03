package vaultgen

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// vocabulary is the number of words of each script.
const vocabulary = 30_000

// script says how the words of a language are formed.
type script struct {
	onsets, vowels, codas []string
	joined                bool // no spaces between words
	comma, stop           string
}

// The scripts: most texts are in Latin letters.
var (
	latin = script{
		onsets: strings.Fields("b c d f g h j k l m n p r s t v w z br ch cl cr dr fl fr gl gr pl pr qu sc sh sk sl sn sp st str th tr"),
		vowels: strings.Fields("a e i o u a e i o ai ea ee ie oa ou y"),
		codas:  append(strings.Fields("n r s t l m d ck nd ng nt rd rn st x ll ss"), "", "", "", ""),
		comma:  ", ", stop: ". ",
	}
	german = script{
		onsets: strings.Fields("b d f g h k l m n p r s t w z br dr fl gr kl kr pf pl sch schl schw sp st str tr zw"),
		vowels: strings.Fields("a e i o u ä ö ü ei au eu ie"),
		codas:  append(strings.Fields("n r s t l m ch ck cht ft ng nk rt st ß tz"), "", ""),
		comma:  ", ", stop: ". ",
	}
	cyrillic = script{
		onsets: strings.Fields("б в г д ж з к л м н п р с т ф х ц ч ш бр вл гр др кр пр сл ст тр"),
		vowels: strings.Fields("а е ё и о у ы э ю я"),
		codas:  append(strings.Fields("в д й к л м н р с т ть ст ц"), "", "", ""),
		comma:  ", ", stop: ". ",
	}
	han = script{joined: true, comma: "、", stop: "。"}
)

// hanStart and hanCount select the characters of Chinese words.
const (
	hanStart = 0x4e00
	hanCount = 1800
)

func scriptOf(n int) *script {
	switch n {
	case 17:
		return &german
	case 18:
		return &cyrillic
	case 19:
		return &han
	}
	return &latin
}

// word spells the nth word of a script. Frequent words are short.
func word(n uint64, number int) string {
	from := scriptOf(number)
	state := (n + 1) * 0x9E3779B97F4A7C15
	pick := func(count int) int {
		state ^= state >> 29
		state *= 0xBF58476D1CE4E5B9
		return int((state >> 33) % uint64(count))
	}
	length := 1
	switch {
	case n >= 3000:
		length = 3
	case n >= 60:
		length = 2
	}
	var out strings.Builder
	for range length {
		if from.joined {
			out.WriteRune(rune(hanStart + pick(hanCount)*7))
			continue
		}
		out.WriteString(from.onsets[pick(len(from.onsets))])
		out.WriteString(from.vowels[pick(len(from.vowels))])
		out.WriteString(from.codas[pick(len(from.codas))])
	}
	return out.String()
}

// sentence is a number of words of one script.
func (g *generator) sentence(words int) string { return g.phrase(words, g.script(), false) }

// prose is a sentence as people write it: with a capital letter, commas and a full stop, and sometimes a date, a number, a
// name or a rare word.
func (g *generator) prose(words int) string {
	number := g.script()
	text := g.phrase(words, number, true)
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + scriptOf(number).stop
}

func (g *generator) script() int { return g.random.IntN(20) }

func (g *generator) phrase(words, number int, prose bool) string {
	from := scriptOf(number)
	var out strings.Builder
	for i := range words {
		if i > 0 && prose && g.random.IntN(9) == 0 {
			out.WriteString(from.comma)
		} else if i > 0 && !from.joined {
			out.WriteByte(' ')
		}
		if prose && g.random.IntN(60) == 0 {
			out.WriteString(g.oddity())
			continue
		}
		out.WriteString(word(g.words.Uint64(), number))
	}
	return out.String()
}

// oddity is something between words that is not a common word.
func (g *generator) oddity() string {
	switch g.random.IntN(5) {
	case 0:
		return fmt.Sprintf("20%02d-%02d-%02d", 10+g.random.IntN(17), 1+g.random.IntN(12), 1+g.random.IntN(28))
	case 1:
		return fmt.Sprintf("%d", g.random.IntN(10_000))
	case 2: // a name
		name := word(uint64(g.random.IntN(vocabulary)), 0)
		return string(unicode.ToUpper(rune(name[0]))) + name[1:]
	case 3: // an identifier
		return fmt.Sprintf("%s_%s()", word(g.words.Uint64(), 0), word(g.words.Uint64(), 0))
	}
	return word(uint64(g.random.IntN(vocabulary)), 0) + word(g.random.Uint64()%1_000_000_000, 0)
}
