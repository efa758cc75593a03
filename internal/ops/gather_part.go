package ops

import (
	"cmp"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/text/shingle"
	"obsidian-mcp/internal/text/tokens"
)

// source is a note that passages are taken from.
type source struct {
	path       vpath.Path
	rank       int // 0 is the best
	date       string
	properties string  // in a line
	byItself   float64 // what its passages are worth without any word of the question
}

// part is a passage of a note that may be part of the answer. If it has no text, it is the properties of the note.
type part struct {
	note     *source
	number   int // in its note
	headings []string
	date     string
	text     string
	has      []float64 // for each word: 1 if the text has it, less if only a heading or the title does
	byItself float64   // what it is worth without any word of the question
	score    float32   // how close it is to the question
	likeness float64   // the same beside the other passages, from 0 to 1
	size     int       // in tokens, if it is not the first of its note
	isChosen bool
	shingles shingle.Set
	gain     float64
}

// show is a passage as the answer shows it. The properties of a note are shown with the first of its passages.
func (p *part) show(isFirst bool) string {
	shown := p.head()
	if isFirst && p.note.properties != "" {
		shown += p.note.properties + "\n\n"
	}
	if p.text != "" {
		shown += p.text + "\n\n"
	}
	return shown
}

// cost is how many tokens a passage takes in the answer.
func (p *part) cost(isFirst bool) int { return tokens.Of([]byte(p.show(isFirst))) }

// head is the heading of a passage.
func (p *part) head() string { return "## " + p.where() + "\n\n" }

// where says which passage it is.
func (p *part) where() string {
	where := string(p.note.path)
	for _, heading := range p.headings {
		if fold.String(heading) != fold.String(p.note.path.Name()) {
			where += " › " + heading
		}
	}
	return where + " (" + p.date + ")"
}

// shorten cuts a passage that takes too many tokens as the first of its note, between words.
func (p *part) shorten(room int) {
	body := p.text
	p.text += "\n" + elision
	over := p.cost(true) - room
	if over <= 0 {
		return
	}
	body = body[:tokens.Fit([]byte(body), max(0, tokens.Of([]byte(body))-over-1))]
	if blank := strings.LastIndexAny(body, " \n\t"); blank > len(body)/2 {
		body = body[:blank]
	}
	p.text = strings.TrimRight(body, " \n") + "\n" + elision
}

// joined puts passages together that follow each other in a note below the same heading.
func joined(chosen []*part) []*part {
	var result []*part
	for _, p := range chosen {
		at := slices.IndexFunc(result, func(other *part) bool {
			return other.note == p.note && other.number+1 == p.number && other.text != "" && slices.Equal(other.headings, p.headings)
		})
		if at < 0 {
			result = append(result, p)
			continue
		}
		both := *result[at]
		both.text, both.number = both.text+"\n\n"+p.text, p.number
		result[at] = &both
	}
	return result
}

// byNote groups passages by note, in their order; the groups are in the order of their best passages. Properties are left
// out where there is another passage, which shows them.
func byNote(chosen []*part) [][]*part {
	var groups [][]*part
	for _, p := range chosen {
		at := slices.IndexFunc(groups, func(group []*part) bool { return group[0].note == p.note })
		if at < 0 {
			groups = append(groups, []*part{p})
			continue
		}
		groups[at] = append(groups[at], p)
	}
	for i, group := range groups {
		order.By(group, func(a, b *part) int { return cmp.Compare(a.number, b.number) })
		if group[0].text == "" && len(group) > 1 {
			groups[i] = group[1:]
		}
	}
	return groups
}
