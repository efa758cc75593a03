package ops

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/passage"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/text/tokens"
)

// gathering chooses passages for a question.
type gathering struct {
	s     *index.Snapshot
	zone  *time.Location
	words []string
	depth int

	notes   []vpath.Path // the best first
	named   int          // so many of them the caller has named
	asked   []index.Word // the words that occur
	unknown []string     // the words that do not
	parts   []*part
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
	isNamed  bool      // the caller has named the note
	shingles map[uint64]bool
	gain     float64
}

// cost is how many tokens a passage takes in the answer.
func (p *part) cost() int { return tokens.Of([]byte(p.head()+p.text)) + 2 }

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

// What a word counts in a heading or the title of a note, compared with one in the text.
const (
	inHeading = 0.5
	inTitle   = 0.3
)

// cut cuts the notes into passages, and keeps those that have words of the question or whose notes were named.
func (g *gathering) cut() {
	asked, hits := g.s.Hits(g.words, g.notes)
	g.asked = asked
	for _, word := range g.words {
		if !g.s.Occurs(word) {
			g.unknown = append(g.unknown, word)
		}
	}
	for rank, path := range g.notes {
		source := g.s.Text(path)
		note := md.Scan([]byte(source))
		title := fold.String(path.Name())
		date := g.dateOf(path)
		at := 0
		for number, cutOut := range passage.Split(note, passageSize) {
			p := &part{
				path: path, date: date, rank: rank, number: number, headings: cutOut.Headings, isNamed: rank < g.named,
				text: strings.Trim(string(cutOut.Of(note.Source)), "\r\n"), has: make([]float64, len(asked)),
			}
			for ; at < len(hits[rank]) && hits[rank][at].At < cutOut.Start; at++ {
			}
			hasWord := false
			for ; at < len(hits[rank]) && hits[rank][at].At < cutOut.End; at++ {
				p.has[hits[rank][at].Word], hasWord = 1, true
			}
			above := fold.String(strings.Join(cutOut.Headings, " "))
			for i, word := range asked {
				if strings.Contains(above, word.Text) {
					p.has[i], hasWord = max(p.has[i], inHeading), true
				} else if strings.Contains(title, word.Text) {
					p.has[i] = max(p.has[i], inTitle)
				}
			}
			if strings.TrimSpace(p.text) != "" && (hasWord || p.isNamed || number == 0 && slices.Max(append(p.has, 0)) > 0) {
				g.parts = append(g.parts, p)
			}
		}
	}
}

var dateInName = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)

// dateOf is the date of a note: the one in its name, or in its properties, or the day of its last change.
func (g *gathering) dateOf(path vpath.Path) string {
	if date := dateInName.FindString(path.Name()); date != "" {
		return date
	}
	entry := g.s.Entry(path)
	if properties, err := entry.Properties(); err == nil && properties != nil {
		for _, name := range []string{"date", "created"} {
			if v, ok := properties.Get(name); ok {
				if date := dateInName.FindString(v.Text); date != "" {
					return date
				}
			}
		}
	}
	return "changed " + entry.Modified.In(g.zone).Format(time.DateOnly)
}

const (
	repeated   = 0.55 // what a word is worth that a chosen passage has already
	ofRank     = 0.35 // how much the rank of a note counts beside the words of a passage
	likeOther  = 0.5  // share of common shingles from which a passage says the same as another
	ofOneNote  = 0.5  // share of the room that one note may take before its other passages count half
	ofNamed    = 0.4  // what a passage of a named note is worth by itself
	byPosition = 50   // later passages of a named note count less

	leastFit   = 0.12 // share of the question's words, by their rarity, that a passage must have,
	besideBest = 0.3  // and of what the best one has
)

// choose takes passages, the best first, until the room is used. What a passage is worth depends on what the ones before it
// say already.
func (g *gathering) choose(room int) (chosen []*part) {
	total := g.rarity()
	covered := make([]int, len(g.asked))
	ofNote := map[vpath.Path]int{}
	left := g.promising(total)
	for used := 0; len(left) > 0; {
		for _, p := range left {
			p.gain = g.worth(p, covered, total)
			if ofNote[p.path] > int(ofOneNote*float64(room)) {
				p.gain /= 2
			}
		}
		best := slices.MaxFunc(left, func(a, b *part) int {
			return cmp.Or(cmp.Compare(a.gain, b.gain), cmp.Compare(b.rank, a.rank), cmp.Compare(b.number, a.number))
		})
		left = slices.DeleteFunc(left, func(p *part) bool { return p == best })
		if best.gain <= 0 || isRepeated(best, chosen) {
			continue
		}
		if len(chosen) == 0 && best.cost() > room {
			best.shorten(room)
		}
		if used+best.cost() > room {
			continue
		}
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
	return total + most*float64(len(g.unknown))
}

// promising are the passages that have enough of the question, those first that are worth most by themselves.
func (g *gathering) promising(total float64) []*part {
	least := leastFit
	for _, p := range g.parts {
		least = max(least, besideBest*g.fit(p, total))
	}
	var all []*part
	for _, p := range g.parts {
		if p.isNamed || g.fit(p, total) >= least {
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
	return sum / max(total, 1)
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
	if p.isNamed {
		sum += ofNamed / (1 + float64(p.number)/byPosition)
	}
	if sum == 0 {
		return 0
	}
	return sum + ofRank/float64(1+p.rank)
}

// shorten cuts a passage that is too long for the whole answer.
func (p *part) shorten(room int) {
	p.text += "\n" + elision
	over := p.cost() - room
	if over <= 0 {
		return
	}
	body := strings.TrimSuffix(p.text, elision)
	most := max(0, tokens.Of([]byte(body))-over-1)
	p.text = strings.TrimRight(body[:tokens.Fit([]byte(body), most)], " \n") + "\n" + elision
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

// rest lists the passages that were not chosen, the best first.
func (g *gathering) rest(chosen []*part) []*part {
	var rest []*part
	for _, p := range g.promising(g.rarity()) {
		isShown := slices.ContainsFunc(chosen, func(c *part) bool { return c.path == p.path && strings.Contains(c.text, p.text) })
		if !isShown && !isRepeated(p, chosen) {
			rest = append(rest, p)
		}
	}
	return rest
}
