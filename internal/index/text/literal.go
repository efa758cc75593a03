package text

import (
	"bytes"
	"cmp"
	"math"
	"runtime"
	"slices"
	"unicode/utf8"

	"obsidian-mcp/internal/text/fold"
)

// Literal is a text to be found.
type Literal struct {
	Text    string // what to look for
	Exact   bool   // letter case and diacritics matter to In
	Bounded bool   // it stands between word boundaries

	// In decides whether a text contains the literal. It is asked where the
	// index alone cannot tell.
	In func(text []byte) bool
}

// Find gives the documents that contain a literal in their text, or, if it is
// a single word, in their title too. With several words in it, titles are for
// the caller to look at: Titles lists those that may have it.
func (x *Index) Find(literal Literal, where Fields) *Hits {
	folded := fold.String(literal.Text)
	runs := runsOf(folded, literal.Bounded)
	if simple(literal, folded, runs) {
		return x.word(runs[0], where)
	}
	return x.looked(literal, folded, runs)
}

// Titled gives the documents whose titles may have a literal, as far as Find
// does not know that by itself.
func (x *Index) Titled(literal Literal) Set {
	folded := fold.String(literal.Text)
	runs := runsOf(folded, false)
	if simple(literal, folded, runs) {
		return nil
	}
	var all Set
	for _, one := range runs {
		if len(one.text) < 3 && one.at&fromStart == 0 {
			continue
		}
		titles := x.word(one, Title).Docs
		if all == nil {
			all = titles
		} else {
			all.And(titles)
		}
	}
	if all == nil {
		return x.Live()
	}
	return all
}

// simple reports a literal about which the dictionary tells everything.
func simple(literal Literal, folded string, runs []run) bool {
	if literal.Exact || literal.Bounded || len(runs) != 1 || runs[0].from != 0 || len(runs[0].text) != len(folded) {
		return false
	}
	return len(folded) <= maxPiece
}

// word gives the documents with a single word or a piece of one.
func (x *Index) word(asked run, where Fields) *Hits {
	c := x.collect(where)
	var terms []scored
	for _, p := range x.parts {
		if p.alive == 0 {
			continue
		}
		segment := p.get()
		terms = terms[:0]
		segment.matching(asked.text, asked.at, func(n int) {
			terms = append(terms, scored{n, closeness(segment.term(n), asked.text)})
		})
		slices.SortFunc(terms, func(a, b scored) int { return cmp.Compare(b.factor, a.factor) }) // the closest first
		runtime.KeepAlive(segment)
		if len(terms) > 0 {
			c.terms(p, terms)
		}
	}
	return c.hits
}

func closeness(term []byte, word string) float32 {
	switch {
	case len(term) == len(word):
		return asIs
	case fits(term, word, fromStart):
		return asPrefix
	}
	return inside
}

// Similar gives the documents with a word that is spelt nearly like one.
func (x *Index) Similar(word string) *Hits {
	c := x.collect(0)
	folded := fold.String(word)
	for _, p := range x.parts {
		if p.alive == 0 {
			continue
		}
		var terms []scored
		p.get().similar(folded, func(n int) { terms = append(terms, scored{n, asTypo}) })
		if len(terms) > 0 {
			c.terms(p, terms)
		}
	}
	return c.hits
}

// Rarity is how much a word tells: the fewer documents have it, the more.
func (x *Index) Rarity(word string) float64 {
	folded := fold.String(word)
	count := 0
	for _, p := range x.parts {
		if p.alive == 0 {
			continue
		}
		segment := p.get()
		segment.matching(folded, fromStart|toEnd, func(n int) {
			for list := newPostings(segment.documents(n)); list.next(); {
				if !p.dead.Has(list.doc) {
					count++
				}
			}
		})
		runtime.KeepAlive(segment)
	}
	return math.Log(1 + float64(x.live)/float64(count+1))
}

// looked gives the documents with a literal by looking at those texts that
// have all its words.
func (x *Index) looked(literal Literal, folded string, runs []run) *Hits {
	c := x.collect(0)
	for _, p := range x.parts {
		if p.alive > 0 {
			c.look(p, literal, folded, runs)
		}
	}
	return c.hits
}

// look does it for one segment.
func (c *collector) look(p *part, literal Literal, folded string, runs []run) {
	segment := p.get()
	check := checker{literal: literal, folded: []byte(folded)}
	check.opaque = literal.Exact || literal.Bounded && !fold.IsASCII([]byte(literal.Text))
	check.ascii = fold.IsASCII(check.folded)
	if literal.Bounded && !check.opaque && len(runs) > 1 && !segment.odd() && bytes.IndexByte(check.folded, '\n') < 0 {
		if first, second, whole := segment.rarest(runs); whole {
			if first != nil {
				check.from = first.run.from
				c.together(p, &check, first, second)
			}
			return
		}
	}
	candidates, anchor := segment.candidates(runs)
	if anchor == nil || bytes.IndexByte(check.folded, '\n') >= 0 {
		for doc := range segment.docs {
			if (candidates == nil || candidates.Has(doc)) && !p.dead.Has(doc) && literal.In(segment.Text(doc)) {
				c.add(p, segment, doc, 1)
			}
		}
		runtime.KeepAlive(segment)
		return
	}
	check.from = anchor.run.from
	for _, term := range anchor.terms {
		places := placeReader{segment.placesOf(term)}
		for list := newPostings(segment.documents(term)); list.next(); {
			if list.count == 0 {
				continue
			}
			if !candidates.Has(list.doc) || p.dead.Has(list.doc) {
				places.skip(list.count)
				continue
			}
			check.places = places.take(list.count, check.places[:0])
			if found := check.count(segment.Text(list.doc)); found > 0 {
				c.addOnce(p, segment, list.doc, float32(found))
			}
		}
	}
	runtime.KeepAlive(segment)
}

func (c *collector) addOnce(p *part, segment *Segment, doc int, weight float32) {
	if !c.hits.Docs.Has(p.first + doc) {
		c.add(p, segment, doc, weight)
	}
}

// anchor is a run of a literal that stands at the start of a token, by whose
// places the literal is looked for.
type anchor struct {
	run   run
	terms []int
}

// candidates are the documents of a segment that have all runs in their text,
// nil if that says nothing; and the anchor with the fewest places.
func (s *Segment) candidates(runs []run) (Set, *anchor) {
	var all Set
	var best *anchor
	least := 0
	for _, one := range runs {
		if len(one.text) < 3 && one.at&fromStart == 0 {
			continue
		}
		found, size := NewSet(s.docs), 0
		var terms []int
		s.matching(one.text, one.at, func(n int) {
			terms = append(terms, n)
			size += len(s.placesOf(n))
			for list := newPostings(s.documents(n)); list.next(); {
				if list.count > 0 {
					found.Add(list.doc)
				}
			}
		})
		if all == nil {
			all = found
		} else {
			all.And(found)
		}
		if one.at&fromStart != 0 && (best == nil || size < least && !(best.run.from == 0 && isUnspaced(best.run.text))) {
			best, least = &anchor{one, terms}, size
		}
	}
	return all, best
}

// checker looks at the places where a literal may stand.
type checker struct {
	literal Literal
	folded  []byte
	opaque  bool // only In can tell
	ascii   bool
	from    int // of the anchor, in the folded literal
	places  []int32
}

// count is how often the literal stands in a text at the places; where only
// In can tell, one is enough.
func (c *checker) count(text []byte) int {
	found, looked := 0, -1
	for _, place := range c.places {
		at := int(place)
		switch c.at(text, at-c.from) {
		case yes:
			found++
		case unsure:
			if at < looked {
				continue // in the line that was looked at
			}
			start := bytes.LastIndexByte(text[:at], '\n') + 1
			looked = len(text)
			if end := bytes.IndexByte(text[at:], '\n'); end >= 0 {
				looked = at + end
			}
			if c.literal.In(text[start:looked]) {
				found++
			}
		}
	}
	return found
}

type verdict uint8

const (
	no verdict = iota
	yes
	unsure
)

// at compares the literal with a text from a place on. What it cannot be sure
// of is for In to judge.
func (c *checker) at(text []byte, start int) verdict {
	end := start + len(c.folded)
	switch {
	case c.opaque || start < 0:
		return unsure
	case !c.ascii:
		return c.foldedAt(text[start:])
	case end > len(text):
		return unsure
	}
	for i, want := range c.folded {
		got := text[start+i]
		if got >= 'A' && got <= 'Z' {
			got += 'a' - 'A'
		}
		if got != want || got >= utf8.RuneSelf {
			if fold.IsASCII(text[start:end]) {
				return no
			}
			return unsure
		}
	}
	before, after := neighbour(text, start-1), neighbour(text, end)
	if after >= utf8.RuneSelf || c.literal.Bounded && before >= utf8.RuneSelf {
		return unsure // it may belong to the letter at the edge
	}
	if c.literal.Bounded && (joins(before, c.folded[0]) || joins(after, c.folded[len(c.folded)-1])) {
		return no
	}
	return yes
}

// foldedAt compares character by character. A mark joins what is before it,
// and where the literal does not begin with its anchor, its start is a guess.
func (c *checker) foldedAt(text []byte) verdict {
	var buf [16]byte
	rest := c.folded
	for len(rest) > 0 {
		r, size := utf8.DecodeRune(text)
		if size == 0 {
			break
		}
		text = text[size:]
		got := fold.AppendRune(buf[:0], r)
		if joinsBefore(r) || r == utf8.RuneError {
			return unsure
		}
		if !bytes.HasPrefix(rest, got) {
			if next, _ := utf8.DecodeRune(text); c.from > 0 || joinsBefore(next) || bytes.HasPrefix(got, rest) {
				return unsure
			}
			return no
		}
		rest = rest[len(got):]
	}
	if next, _ := utf8.DecodeRune(text); len(rest) > 0 || joinsBefore(next) {
		return unsure
	}
	return yes
}

// neighbour is the byte at a place, or a space outside of the text.
func neighbour(text []byte, at int) byte {
	if at < 0 || at >= len(text) {
		return ' '
	}
	return text[at]
}

// joins reports that there is no word's boundary between two characters.
func joins(a, b byte) bool { return fold.IsWord(rune(a)) && fold.IsWord(rune(b)) }
