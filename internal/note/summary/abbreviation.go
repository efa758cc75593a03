package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// abbreviations are words whose full stop does not end a sentence, even before a capital letter. Abbreviations before
// small letters need no list, because no sentence starts with a small letter.
var abbreviations = set(`
	mr mrs ms dr prof st mt sr jr rev hon gen col sgt capt lt fr
	vs no nos vol vols ch sec fig figs eq pp ed eds cf approx ca al e.g i.e
	jan feb mar apr jun jul aug sept sep oct nov dec
	bzw ggf evtl inkl zzgl vgl nr bd abb kap abs art hr fa str usf dipl ing
	mme mlle mgr env av éd sra dña ud uds pág núm sig sigg dott
	гг ул просп пер кв им тов проф акад доц рис табл см ср напр тел стр гл млн млрд тыс руб коп`)

// mayEnd are abbreviations that can end a sentence. Before a capital letter, they do.
var mayEnd = set(`т.д т.п др пр etc usw u.a u.ä inc ltd co corp`)

// months are words that follow a number with a full stop in German dates and ordinals.
var months = set(`januar jänner februar märz april mai juni juli august september oktober november dezember jahrhundert jh`)

func set(words string) map[string]bool {
	members := map[string]bool{}
	for _, word := range strings.Fields(words) {
		members[word] = true
	}
	return members
}

// isAbbreviation reports whether the full stop after text belongs to an abbreviation and the sentence continues with next.
func isAbbreviation(text, next string) bool {
	word := lastWord(text)
	switch {
	case word == "":
		return false
	case mayEnd[word]:
		return false
	case abbreviations[word]:
		return true
	}
	if isNumber(word) {
		following, _, _ := strings.Cut(next, " ")
		following = strings.ToLower(strings.TrimRightFunc(following, unicode.IsPunct))
		return len(word) <= 2 && (months[following] || len(text) <= len(word))
	}
	// An initial, as in J. S. Bach or z. B.; but т. д. and т. п. may end.
	if utf8.RuneCountInString(word) == 1 {
		_, size := utf8.DecodeLastRuneInString(text)
		before := lastWord(strings.TrimRight(text[:len(text)-size], " ."))
		return !mayEnd[before+"."+word]
	}
	return false
}

// lastWord returns the last word of a text in lower case, without brackets and quotes before it. It looks at the last 32
// bytes only, which is enough for an abbreviation.
func lastWord(text string) string {
	text = text[max(0, len(text)-32):]
	text = text[strings.LastIndexAny(text, " \n")+1:]
	return strings.ToLower(strings.TrimLeftFunc(text, func(r rune) bool { return !isTermRune(r) }))
}

func isNumber(word string) bool {
	return strings.Trim(word, "0123456789") == ""
}
