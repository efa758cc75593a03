package summary

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Parameters of the score, tuned on the judged notes in testdata.
const (
	forTerms    = 0.45 // for the important terms of the note
	forTitle    = 0.15 // for terms of the title
	forHeading  = 0.1  // for terms of the section's heading
	forPosition = 0.35

	preamble      = 0.4     // factor for text before the note's own title
	backReference = 1 / 0.7 // divisor for a sentence that refers to a missing one
)

// rate sets the terms and the score of each piece.
func rate(pieces []piece, text *text, title string, weight func(string) float64) {
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
	good := 0 // pieces so far that could open an article
	for i := range pieces {
		p := &pieces[i]
		section, style := sections[p.unit.section+1], styleFactor(p)
		if p.unit.section < start {
			style *= preamble
		}
		value := forTerms*central[i]/most + forTitle*v.overlap(p.terms, titleTerms) +
			forHeading*v.overlap(p.terms, section.terms) + forPosition*position(p, good)
		p.backReference = 1
		if refersBack(p.text) && !p.leads {
			p.backReference = backReference
		}
		p.score = value * style * section.factor / p.backReference
		if style > 0.6 && section.factor >= 1 {
			good++
		}
	}
}

// start returns the section in which the text proper begins: that of a heading which repeats the title, else -1.
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

// position rates the position of a piece, which follows a number of good pieces: best at the start of the note, still
// good at the start of a section or a paragraph.
func position(p *piece, good int) float64 {
	rating := 1 / (1 + 0.4*float64(good))
	if p.leads {
		rating = max(rating, 0.7)
	}
	if p.opens {
		rating = max(rating, 0.55)
	}
	return rating
}

// styleFactor rates how a piece is written.
func styleFactor(p *piece) float64 {
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
		factor *= 0.3 // it only announces what follows
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
		factor *= 0.5 // mostly links
	}
	return factor * lengthFactor(p)
}

// lengthFactor prefers complete sentences of moderate length.
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

// isField reports whether a text is a field rather than a sentence, such as "Date: 12 May" or "rating:: 4".
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
