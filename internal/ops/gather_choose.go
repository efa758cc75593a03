package ops

import (
	"cmp"
	"slices"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/index/vector"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/text/shingle"
)

// gathering chooses passages for a question.
type gathering struct {
	s        *index.Snapshot
	zone     *time.Location
	question question
	depth    int
	passage  int // about how many bytes a passage has

	notes     []vpath.Path     // the best first
	named     int              // the first of them, which the caller has named
	subjects  int              // the first of them, which the caller or the question has named
	asked     []index.Word     // the words that occur
	weights   []float64        // of these words: shares of the whole question, by their rarity
	located   []bool           // which of them the index has places of: not of the most common, and not of parts of words
	scores    [][]vector.Score // by note, how close its passages are to the question; nil: unknown
	alike     float32          // the least score of a passage that answers a question
	parts     []*part
	promising []*part // those that have enough of the question
}

const (
	repeated   = 0.85 // what a word is worth that a chosen passage has already
	ofRank     = 0.35 // how much the rank of a note counts beside the words of a passage
	likeOther  = 0.5  // share of common shingles from which a passage says the same as another
	ofOneNote  = 0.5  // share of the room that one note may take before its other passages count half
	ofNamed    = 0.4  // what the passages of a note are worth by themselves if the caller has named it,
	ofSubject  = 0.25 // or if the question has
	byPosition = 50   // later passages of a named note count less

	ofMeaning = 0.25 // how much it counts what a passage means, beside its words
	meansIt   = 0.7  // the likeness from which a passage needs no words of the question

	leastFit   = 0.2 // share of the question that a passage must have, by the weights of its words,
	besideBest = 0.3 // and share of what the best passage has
)

// weigh gives the words of the question their weights. Words that no note has count as the rarest.
func (g *gathering) weigh() {
	total, most := 0.0, 1.0
	for _, word := range g.asked {
		total, most = total+word.Rarity, max(most, word.Rarity)
	}
	total += most * float64(len(g.question.unknown))
	g.weights = make([]float64, len(g.asked))
	for i, word := range g.asked {
		if total > 0 {
			g.weights[i] = word.Rarity / total
		}
	}
}

// mostParts is how many passages are compared with each other.
const mostParts = 2000

// findPromising finds the passages that have enough of the question, and sorts them by what they are worth.
func (g *gathering) findPromising() {
	least := leastFit
	for _, p := range g.parts {
		least = max(least, besideBest*p.fit(g.weights))
	}
	g.compare()
	for _, p := range g.parts {
		if p.byItself > 0 || p.fit(g.weights) >= least || p.likeness >= meansIt {
			p.gain = p.worth(g.weights)
			g.promising = append(g.promising, p)
		}
	}
	order.Stably(g.promising, func(a, b *part) int { return cmp.Compare(b.gain, a.gain) })
	g.promising = g.promising[:min(len(g.promising), mostParts)]
}

// compare turns the scores of passages into likenesses: the closest passage has 1.
func (g *gathering) compare() {
	best := g.alike
	for _, p := range g.parts {
		best = max(best, p.score)
	}
	for _, p := range g.parts {
		if least := g.alike / 2; best > g.alike && p.score > least {
			p.likeness = float64((p.score - least) / (best - least))
		}
	}
}

// fit is how much of the question a passage has.
func (p *part) fit(weights []float64) (sum float64) {
	for i, has := range p.has {
		sum += has * weights[i]
	}
	return sum
}

// worth is how much a passage adds to an answer, given what each word of the question is still worth.
func (p *part) worth(weights []float64) float64 {
	worth := (1-ofMeaning)*p.fit(weights) + ofMeaning*p.likeness + p.byItself
	if worth == 0 {
		return 0
	}
	return worth + ofRank/float64(1+p.note.rank)
}

// choose takes passages, the best first, until the room is used. It returns them and how many tokens they take.
func (g *gathering) choose(room int) (chosen []*part, used int) {
	weights := slices.Clone(g.weights)
	ofNote := map[*source]int{}
	left := slices.Clone(g.promising)
	for {
		if len(chosen) > 0 { // what does not fit now never will
			left = slices.DeleteFunc(left, func(p *part) bool { return used+p.size > room })
		}
		if len(left) == 0 {
			return joined(chosen), used
		}
		for _, p := range left {
			p.gain = p.worth(weights)
			if ofNote[p.note] > int(ofOneNote*float64(room)) {
				p.gain /= 2
			}
		}
		best := slices.MaxFunc(left, func(a, b *part) int {
			return cmp.Or(cmp.Compare(a.gain, b.gain), cmp.Compare(b.note.rank, a.note.rank), cmp.Compare(b.number, a.number))
		})
		left = slices.DeleteFunc(left, func(p *part) bool { return p == best })
		isFirst := ofNote[best.note] == 0
		if best.gain <= 0 || best.text == "" && !isFirst || isRepeated(best, chosen) {
			continue
		}
		if most := firstShare(room, len(left)); len(chosen) == 0 && best.cost(true) > most {
			best.shorten(most)
		}
		cost := best.cost(isFirst)
		if used+cost > room {
			continue
		}
		best.isChosen = true
		used += cost
		ofNote[best.note] += cost
		chosen = append(chosen, best)
		for i, has := range best.has {
			if has == 1 {
				weights[i] *= repeated
			}
		}
	}
}

// firstShare is how much of the room the first passage may take: half, or everything if it is the only one.
func firstShare(room, others int) int {
	if others > 0 {
		return room / 2
	}
	return room
}

// isRepeated reports whether a passage says what a chosen one says already.
func isRepeated(p *part, chosen []*part) bool {
	p.shingles = shingle.Of([]byte(cmp.Or(p.text, p.note.properties)))
	return slices.ContainsFunc(chosen, func(other *part) bool { return p.shingles.Contained(other.shingles) >= likeOther })
}

// mostListed is how many passages that are left out are compared with those in the answer; no more are listed.
const mostListed = 50

// rest lists the passages that were not chosen, the best first.
func (g *gathering) rest(chosen []*part) []*part {
	var rest []*part
	for _, p := range g.promising {
		isShown := p.isChosen || p.text == "" && slices.ContainsFunc(chosen, func(c *part) bool { return c.note == p.note })
		if !isShown && (len(rest) >= mostListed || !isRepeated(p, chosen)) {
			rest = append(rest, p)
		}
	}
	return rest
}
