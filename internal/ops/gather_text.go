package ops

import (
	"fmt"
	"strings"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/text/tokens"
)

// gatherText is the answer of gather_context while it is written. It never takes more tokens than its budget.
type gatherText struct {
	strings.Builder
	budget, used int
}

// The end of an answer, for linked notes, what is left out and the count, takes a part of the budget.
const (
	endShare = 5   // a fifth of the tokens,
	mostEnd  = 600 // but no more than this
	lastLine = 14  // tokens of the count
)

func newGatherText(budget int) *gatherText { return &gatherText{budget: budget} }

// room is how many tokens are left for passages.
func (g *gatherText) room() int {
	return g.budget - g.used - min(g.budget/endShare, mostEnd) - lastLine
}

// add adds a text if it fits and leaves room for the count.
func (g *gatherText) add(text string) bool { return g.addWithin(text, g.budget-lastLine) }

// addWithin adds a text if the answer does not take more tokens than that with it.
func (g *gatherText) addWithin(text string, most int) bool {
	cost := tokens.Of([]byte(text))
	if g.used+cost > most {
		return false
	}
	g.WriteString(text)
	g.used += cost
	return true
}

// missing says which words no note has.
func (g *gatherText) missing(words []string) {
	if len(words) > 0 {
		g.add("No note contains: " + strings.Join(words[:min(len(words), maxSuggested)], ", ") + ".\n\n")
	}
}

// linked adds a line for each linked note, as many as fit beside what is left out.
func (g *gatherText) linked(describe func(vpath.Path) string, links []*linkedNote) {
	most := g.budget - lastLine - min(g.budget/endShare, mostEnd)/3
	head := "## Linked notes\n\n"
	for i, link := range links {
		relation := "links to"
		if link.isOut {
			relation = "linked from"
		}
		line := fmt.Sprintf("- %s (%s %s)", link.path, relation, link.from.Name())
		if about := describe(link.path); about != "" {
			line += ": " + about
		}
		if !g.addWithin(head+line+"\n", most) {
			if g.add(head + fmt.Sprintf("- and %s\n", amount.Of(len(links)-i, "more linked note"))) {
				head = ""
			}
			break
		}
		head = ""
	}
	if head == "" {
		g.add("\n")
	}
}

// leftOut lists passages that did not fit, with what they cost.
func (g *gatherText) leftOut(rest []*part) {
	total := 0
	for _, p := range rest {
		total += p.size
	}
	head := fmt.Sprintf("## Left out: %s, %s\n\n", amount.Of(len(rest), "passage"), amount.Of(total, "token"))
	for _, together := range byPlace(rest) {
		if !g.add(head + "- " + together.String() + "\n") {
			g.add(head)
			break
		}
		head = ""
	}
}

// leftPlace is passages below the same heading of a note.
type leftPlace struct {
	where         string
	count, tokens int
}

// byPlace puts passages together; the place of the first one comes first.
func byPlace(parts []*part) []*leftPlace {
	var places []*leftPlace
	known := map[string]*leftPlace{}
	for _, p := range parts {
		where := p.where()
		if known[where] == nil {
			known[where] = &leftPlace{where: where}
			places = append(places, known[where])
		}
		known[where].count++
		known[where].tokens += p.size
	}
	return places
}

func (p *leftPlace) String() string {
	cost := amount.Of(p.tokens, "token")
	if p.count > 1 {
		cost = amount.Of(p.count, "passage") + ", " + cost
	}
	return p.where + ": " + cost
}

// end adds how much of the budget was used.
func (g *gatherText) end() {
	text := strings.TrimRight(g.String(), "\n") + "\n\n"
	g.Reset()
	fmt.Fprintf(g, "%s(%d of %d tokens)\n", text, g.used+lastLine, g.budget)
}
