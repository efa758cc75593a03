package summary

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// What a score is made of, found by trying on the judged notes under testdata.
const (
	forTerms    = 0.45 // speaking of what the note speaks of
	forTitle    = 0.15 // saying words of the title
	forHeading  = 0.1  // saying words of the section's heading
	forPosition = 0.35

	preamble = 0.4     // what stands before the text proper
	leaning  = 1 / 0.7 // what points back at a sentence that is not there
)

// judge gives each piece its terms and its score.
func judge(pieces []piece, text *text, title string, weight func(string) float64) {
	v := vocabulary{ids: map[string]int32{}, ask: weight}
	for i := range pieces {
		pieces[i].terms = v.add(pieces[i].text)
	}
	v.settle()
	central := make([]float64, len(pieces))
	for i := range pieces {
		central[i] = v.central(pieces[i].terms)
	}
	most := max(slices.Max(central), 1e-9)
	titleTerms := v.find(title)
	sections := text.sections(&v)
	start := text.start(title)
	proper := 0 // sentences since the start that could be the first of an article
	for i := range pieces {
		p := &pieces[i]
		section, how := sections[p.unit.section+1], manner(p)
		if p.unit.section < start {
			how *= preamble
		}
		value := forTerms*central[i]/most + forTitle*v.overlap(p.terms, titleTerms) + forHeading*v.overlap(p.terms, section.terms) + forPosition*position(p, proper)
		p.leaned = 1
		if leans(p.text) && !p.leads {
			p.leaned = leaning
		}
		p.score = value * how * section.factor / p.leaned
		if how > 0.6 && section.factor >= 1 {
			proper++
		}
	}
}

// start is the section with which the text proper begins: that of a heading
// which says the title again, where something stands before it; else -1.
func (t *text) start(title string) int {
	var wanted []string
	terms(title, func(term string) { wanted = append(wanted, term) })
	for i, heading := range t.headings {
		if heading.level > 1 || len(wanted) == 0 {
			break
		}
		common := 0
		terms(heading.text, func(term string) {
			if slices.Contains(wanted, term) {
				common++
			}
		})
		if common*2 >= len(wanted) {
			return i
		}
	}
	return -1
}

// position is what a piece's place is worth: most at the start of the note,
// something at the start of a section or a paragraph.
func position(p *piece, proper int) float64 {
	worth := 1 / (1 + 0.4*float64(proper))
	if p.leads {
		worth = max(worth, 0.7)
	}
	if p.opens {
		worth = max(worth, 0.55)
	}
	return worth
}

// manner is what the way a piece is written is worth.
func manner(p *piece) float64 {
	factor := 1.0
	switch p.unit.kind {
	case listItem:
		factor = 0.85
	case openTask:
		factor = 0.8
	case doneTask:
		factor = 0.5
	case quote:
		factor = 0.7
	case label:
		factor = 0.3
	}
	if p.unit.digest {
		factor *= 1.6
	}
	factor /= 1 + 0.15*float64(p.unit.depth)
	last, _ := utf8.DecodeLastRuneInString(p.text)
	switch {
	case last == ':' || last == '：':
		factor *= 0.3 // what it announces is elsewhere
	case last == '?' || last == '？':
		factor *= 0.75
	case p.unit.kind == paragraph && p.words < 8 && len(p.text) == len(p.unit.text) && !isStop(last):
		factor *= 0.5 // a label rather than a sentence
	}
	switch {
	case isField(p.text):
		factor *= 0.45
	case strings.HasPrefix(p.text, "("):
		factor *= 0.6
	case !strings.Contains(p.text, " ") && strings.HasPrefix(p.text, "#"):
		factor *= 0.2
	}
	if p.unit.linked*10 > len(p.unit.text)*6 {
		factor *= 0.5 // it leads elsewhere
	}
	return factor * lengthFactor(p)
}

// lengthFactor prefers sentences that say something and come to an end.
func lengthFactor(p *piece) float64 {
	words := p.words
	if first, _ := utf8.DecodeRuneInString(p.text); standsAlone(first) {
		words = words / 2
	}
	switch {
	case p.goesOn || p.continues:
		return 0.5
	case words < 3:
		return 0.4
	case words < 5:
		return 0.65
	case words < 7:
		return 0.85
	case words > 45:
		return 0.75
	}
	return 1
}

// isField reports whether a text is a record rather than a sentence, such as
// "Date: 12 May" or "rating:: 4".
func isField(text string) bool {
	colon := strings.IndexAny(text, ":：")
	if colon <= 0 || colon > 40 || colon == len(text)-1 {
		return false
	}
	if strings.HasPrefix(text[colon:], "::") {
		return true
	}
	return !strings.Contains(text[:colon], " ") && countWords(text) < 8
}
