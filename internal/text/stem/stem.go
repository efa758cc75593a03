// Package stem cuts the endings off words, so that forms of a word can be found by each other. It is deliberately light:
// it knows scripts, not languages, and no exceptions. What it returns is not a word, and only good for comparing.
//
// Words are folded: in lower case, without diacritics.
package stem

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Longest is the length of the longest ending in bytes.
const Longest = 12

// Of returns the stem of a folded word.
func Of(word string) string {
	r, _ := utf8.DecodeRuneInString(word)
	switch {
	case r < utf8.RuneSelf:
		return latin(word)
	case unicode.Is(unicode.Cyrillic, r):
		return cut(word, cyrillic, 3)
	case unicode.Is(unicode.Greek, r):
		return cut(word, greek, 3)
	case unicode.Is(unicode.Arabic, r):
		return arabic(word)
	}
	return word
}

// Starts yields every prefix that a word with this stem can have. It yields none for stems that are too short to search by.
func Starts(stem string, yield func(start string)) {
	r, _ := utf8.DecodeRuneInString(stem)
	switch {
	case r < utf8.RuneSelf:
		start := strings.TrimSuffix(stem, "i") // a y may have become an i
		if len(start) >= 3 && (r < '0' || r > '9') {
			yield(start)
		}
	case utf8.RuneCountInString(stem) < 3:
	case unicode.Is(unicode.Arabic, r):
		yield(stem)
		for _, article := range articles {
			yield(article + stem)
		}
	case unicode.In(r, unicode.Cyrillic, unicode.Greek):
		yield(stem)
	}
}

// cut removes the longest of some endings that leaves at least a number of letters.
func cut(word string, endings []string, least int) string {
	for _, ending := range endings {
		if rest, found := strings.CutSuffix(word, ending); found && utf8.RuneCountInString(rest) >= least {
			return rest
		}
	}
	return word
}

// latin stems words in the Latin alphabet. Its endings come from English, German, French, Spanish and Italian. It removes
// a plural ending, then one other suffix, then a final vowel, and finally one of two equal consonants.
func latin(word string) string {
	rest := word
	if !endsIn(rest, "ss", "us", "is") {
		rest = without(rest, plurals)
	}
	if !endsIn(rest, "eed") {
		rest = without(rest, suffixes)
	}
	last := len(rest) - 1
	if last >= 4 && strings.IndexByte("aeioy", rest[last]) >= 0 {
		rest = rest[:last]
		last--
	} else if last >= 2 && rest[last] == 'y' {
		rest = rest[:last] + "i"
	}
	if last >= 3 && rest[last] == rest[last-1] && strings.IndexByte("aeiou", rest[last]) < 0 {
		rest = rest[:last]
	}
	return rest
}

func endsIn(word string, endings ...string) bool {
	for _, ending := range endings {
		if strings.HasSuffix(word, ending) {
			return true
		}
	}
	return false
}

// suffix is cut off if at least as many letters as least remain, a vowel among them.
type suffix struct {
	text  string
	least int
}

var (
	plurals  = []suffix{{"es", 4}, {"os", 4}, {"as", 4}, {"s", 3}}
	suffixes = []suffix{{"edly", 4}, {"ing", 3}, {"ern", 4}, {"ed", 3}, {"en", 4}, {"er", 4}, {"em", 4}, {"ly", 4}}
)

func without(word string, endings []suffix) string {
	for _, e := range endings {
		if rest, found := strings.CutSuffix(word, e.text); found && len(rest) >= e.least && strings.ContainsAny(rest, "aeiouy") {
			return rest
		}
	}
	return word
}

// cyrillic are endings of nouns, adjectives and verbs in Russian and its neighbours.
var cyrillic = strings.Fields(`иями ируют остями остью ывать ивать ость ости
	ться лась лось лись ется ятся утся ются ями ами иях ием ией его ого ему ому ыми ими ешь ишь ает яет уют ают яют или ыли али ила ыла ала ило ыло ало ить ыть ать ять еть лся
	ая яя ое ее ые ие ый ий ой ей ую юю ых их ам ям ах ях ов ев ом ем ия ию ья ью ит ат ят ут ют ет ил ыл ал ла ло ли ть
	а я о е ы и у ю ь`)

// greek are endings of nouns, adjectives and verbs.
var greek = strings.Fields(`ματοσ ματων ματα ματος ουμε ουνε ετε ησεις ησει ουσ ους ουν εισ εις αμε ατε ησ ης οσ ος ασ ας εσ ες ων ου οι ει αι ωσ ως μα ησω ασω ω η α ο ι ε υ`)

// articles are what precedes a word in Arabic without a space.
var articles = []string{"وال", "بال", "كال", "فال", "لل", "ال", "و"}

// arabicEndings are plural, feminine and possessive endings.
var arabicEndings = strings.Fields("اتها اتهم ات ان ون ين ها هم نا يه ية ه ة ي ا")

func arabic(word string) string {
	for _, article := range articles {
		if rest, found := strings.CutPrefix(word, article); found && utf8.RuneCountInString(rest) >= 3 {
			word = rest
			break
		}
	}
	return cut(word, arabicEndings, 3)
}
