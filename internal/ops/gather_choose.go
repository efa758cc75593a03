package ops

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/text/tokens"
)

// gathering chooses passages for a question.
type gathering struct {
	s        *index.Snapshot
	zone     *time.Location
	question question
	depth    int

	notes    []vpath.Path // the best first
	named    int          // so many of them the caller has named,
	subjects int          // and so many these and the question
	asked    []index.Word // the words that occur
	located  []bool       // which of them the index has places of: not of the most common, and not of parts of words
	parts    []*part
}

// part is a passage of a note that may be part of the answer.
type part struct {
	path     vpath.Path
	date     string
	rank     int // of its note
	number   int // in its note
	headings []string
	text     string
	has      []float64 // how far it has each word: 1 in the text, less in a heading or the title
	byItself float64   // what it is worth without any word of the question
	isFront  bool      // it is the properties of its note
	isChosen bool
	size     int    // tokens, without what stands above
	above    string // the properties of its note, if it is the first of its note in the answer
	shingles map[uint64]bool
	gain     float64
}

// cost is how many tokens a passage takes in the answer.
func (p *part) cost() int { return tokens.Of([]byte(p.head()+p.above+p.text)) + 2 }

// head is the line above a passage.
func (p *part) head() string {
	where := string(p.path)
	for _, heading := range p.headings {
		if fold.String(heading) != fold.String(p.path.Name()) {
			where += " › " + heading
		}
	}
	return "## " + where + " (" + p.date + ")\n\n"
}

const (
	repeated   = 0.55 // what a word is worth that a chosen passage has already
	ofRank     = 0.35 // how much the rank of a note counts beside the words of a passage
	likeOther  = 0.5  // share of common shingles from which a passage says the same as another
	ofOneNote  = 0.5  // share of the room that one note may take before its other passages count half
	ofNamed    = 0.4  // what a passage is worth by itself whose note the caller has named,
	ofSubject  = 0.25 // or the question
	byPosition = 50   // later passages of a named note count less

	leastFit   = 0.2 // share of the question's words, by their rarity, that a passage must have,
	besideBest = 0.3 // and of what the best one has
)

// choose takes passages, the best first, until the room is used. What a passage is worth depends on what the ones before it
// say already.
func (g *gathering) choose(room int) (chosen []*part) {
	total := g.rarity()
	covered := make([]int, len(g.asked))
	ofNote := map[vpath.Path]int{}
	left := g.promising(total)
	for used := 0; len(left) > 0; {
		if len(chosen) > 0 { // what does not fit now never will
			left = slices.DeleteFunc(left, func(p *part) bool { return used+p.size > room })
		}
		for _, p := range left {
			p.gain = g.worth(p, covered, total)
			if ofNote[p.path] > int(ofOneNote*float64(room)) {
				p.gain /= 2
			}
		}
		if len(left) == 0 {
			break
		}
		best := slices.MaxFunc(left, func(a, b *part) int {
			return cmp.Or(cmp.Compare(a.gain, b.gain), cmp.Compare(b.rank, a.rank), cmp.Compare(b.number, a.number))
		})
		left = slices.DeleteFunc(left, func(p *part) bool { return p == best })
		if best.gain <= 0 || best.isFront && ofNote[best.path] > 0 || isRepeated(best, chosen) {
			continue
		}
		if ofNote[best.path] == 0 && !best.isFront {
			best.above = g.propertiesOf(best.path)
		}
		if most := largestShare(room, len(left)); len(chosen) == 0 && best.cost() > most {
			best.shorten(most)
		}
		if used+best.cost() > room {
			best.above = ""
			continue
		}
		best.isChosen = true
		used += best.cost()
		ofNote[best.path] += best.cost()
		chosen = append(chosen, best)
		for i, has := range best.has {
			if has == 1 {
				covered[i]++
			}
		}
	}
	return joined(chosen)
}

// mostParts is how many passages are compared with each other.
const mostParts = 2000

// rarity is how much all words of the question tell together.
func (g *gathering) rarity() float64 {
	total, most := 0.0, 1.0
	for _, word := range g.asked {
		total, most = total+word.Rarity, max(most, word.Rarity)
	}
	return total + most*float64(len(g.question.unknown))
}

// promising are the passages that have enough of the question, those first that are worth most by themselves.
func (g *gathering) promising(total float64) []*part {
	least := leastFit
	for _, p := range g.parts {
		least = max(least, besideBest*g.fit(p, total))
	}
	var all []*part
	for _, p := range g.parts {
		if p.byItself > 0 || g.fit(p, total) >= least {
			p.gain = g.worth(p, make([]int, len(g.asked)), total)
			all = append(all, p)
		}
	}
	order.Stably(all, func(a, b *part) int { return cmp.Compare(b.gain, a.gain) })
	return all[:min(len(all), mostParts)]
}

// fit is the share of the question's words that a passage has, by their rarity.
func (g *gathering) fit(p *part, total float64) float64 {
	sum := 0.0
	for i, word := range g.asked {
		sum += p.has[i] * word.Rarity
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

// worth is what a passage adds to what is chosen already.
func (g *gathering) worth(p *part, covered []int, total float64) float64 {
	sum := 0.0
	for i, word := range g.asked {
		sum += p.has[i] * word.Rarity * math.Pow(repeated, float64(covered[i]))
	}
	if total > 0 {
		sum /= total
	}
	if sum += p.byItself; sum == 0 {
		return 0
	}
	return sum + ofRank/float64(1+p.rank)
}

// largestShare is how much of the room the first passage may take: all of it only if there are no others.
func largestShare(room, others int) int {
	if others > 0 {
		return room / 2
	}
	return room
}

// shorten cuts a passage that is too long, between words.
func (p *part) shorten(room int) {
	p.text += "\n" + elision
	over := p.cost() - room
	if over <= 0 {
		return
	}
	body := strings.TrimSuffix(p.text, elision)
	most := max(0, tokens.Of([]byte(body))-over-1)
	body = body[:tokens.Fit([]byte(body), most)]
	if blank := strings.LastIndexAny(body, " \n\t"); blank > len(body)/2 {
		body = body[:blank]
	}
	p.text = strings.TrimRight(body, " \n") + "\n" + elision
}

// isRepeated reports whether a passage says what a chosen one says already.
func isRepeated(p *part, chosen []*part) bool {
	p.shingles = shinglesOf(p.text)
	return slices.ContainsFunc(chosen, func(other *part) bool { return alike(p.shingles, other.shingles) >= likeOther })
}

// joined puts passages together that follow each other in a note below the same heading.
func joined(chosen []*part) []*part {
	var result []*part
	for _, p := range chosen {
		at := slices.IndexFunc(result, func(other *part) bool {
			return other.path == p.path && other.number+1 == p.number && slices.Equal(other.headings, p.headings)
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

// byNote puts the passages of a note together, in their order, at the place of the best one.
func byNote(chosen []*part) []*part {
	place := map[vpath.Path]int{}
	for i, p := range chosen {
		if _, known := place[p.path]; !known {
			place[p.path] = i
		}
	}
	sorted := slices.Clone(chosen)
	order.Stably(sorted, func(a, b *part) int {
		return cmp.Or(cmp.Compare(place[a.path], place[b.path]), cmp.Compare(a.number, b.number))
	})
	var shown []*part
	for start := 0; start < len(sorted); {
		end := start + 1
		for ; end < len(sorted) && sorted[end].path == sorted[start].path; end++ {
		}
		shown = append(shown, belowProperties(sorted[start:end])...)
		start = end
	}
	return shown
}

// belowProperties puts the properties of a note above the first of its passages.
func belowProperties(ofNote []*part) []*part {
	above := ""
	for _, p := range ofNote {
		above, p.above = cmp.Or(above, p.above), ""
	}
	if ofNote[0].isFront && len(ofNote) > 1 {
		above, ofNote = ofNote[0].text+"\n\n", ofNote[1:]
	}
	if !ofNote[0].isFront {
		ofNote[0].above = above
	}
	return ofNote
}

// mostListed is how many passages that are left out are compared with those in the answer; no more are listed.
const mostListed = 50

// rest lists the passages that were not chosen, the best first.
func (g *gathering) rest(chosen []*part) []*part {
	var rest []*part
	for _, p := range g.promising(g.rarity()) {
		isShown := p.isChosen || p.isFront && slices.ContainsFunc(chosen, func(c *part) bool { return c.path == p.path })
		if !isShown && (len(rest) >= mostListed || !isRepeated(p, chosen)) {
			rest = append(rest, p)
		}
	}
	return rest
}
