package text

import (
	"bytes"
	"cmp"
	"math"
	"runtime"
	"slices"
	"unicode/utf8"

	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/order"
)

// Literal is a text to find.
type Literal struct {
	Text    string
	Exact   bool // letter case and diacritics matter to In
	Bounded bool // it must lie between word boundaries

	// In decides whether a text contains the literal. It is called where the index alone cannot tell.
	In func(text []byte) bool
}

// Find returns the documents that contain a literal in their text or, if it is a single word, in their title. For
// titles and a literal of several words the caller must check the documents that Titled returns.
func (x *Index) Find(literal Literal, where Fields) *Hits {
	folded := fold.String(literal.Text)
	runs := runsOf(folded, literal.Bounded)
	if simple(literal, folded, runs) {
		return x.word(runs[0], where)
	}
	return x.scan(literal, folded, runs, nil)
}

// Titled returns the documents whose titles may contain a literal, as far as Find cannot tell.
func (x *Index) Titled(literal Literal) Set {
	folded := fold.String(literal.Text)
	runs := runsOf(folded, literal.Bounded)
	if simple(literal, folded, runs) {
		return nil
	}
	var all Set
	for _, run := range x.rarestFirst(runs) {
		if len(run.text) < 3 && run.edges&fromStart == 0 {
			continue
		}
		titles := x.titles(run)
		if all == nil {
			all = titles
		} else {
			all.And(titles)
		}
		if all.isEmpty() {
			return nil
		}
	}
	if all == nil {
		return x.Live()
	}
	return all
}

// rarestFirst sorts runs by how many documents have them as a token.
func (x *Index) rarestFirst(runs []run) []run {
	sizes := make(map[string]int, len(runs))
	for _, run := range runs {
		sizes[run.text] = x.having(run.text)
	}
	sorted := slices.Clone(runs)
	order.Stably(sorted, func(a, b run) int { return cmp.Compare(sizes[a.text], sizes[b.text]) })
	return sorted
}

// titles returns the documents that have a run in their title.
func (x *Index) titles(run run) Set {
	found := NewSet(x.docs)
	for _, p := range x.filled {
		segment := p.batch.segment()
		segment.matching(run.text, run.edges, func(n int) {
			for list := newPostings(segment.documents(n)); list.next(); {
				if list.mask&uint8(Title) != 0 && !p.dead.Has(list.doc) {
					found.Add(p.first + list.doc)
				}
			}
		})
		runtime.KeepAlive(segment)
	}
	return found
}

// simple reports whether the dictionary alone can answer a literal.
func simple(literal Literal, folded string, runs []run) bool {
	if literal.Exact || literal.Bounded || len(runs) != 1 || runs[0].from != 0 || len(runs[0].text) != len(folded) {
		return false
	}
	return len(folded) <= maxPiece
}

// word returns the documents with a single word or a piece of one.
func (x *Index) word(asked run, where Fields) *Hits {
	c := x.collect(where)
	var terms []scored
	for _, p := range x.filled {
		segment := p.batch.segment()
		terms = terms[:0]
		segment.matching(asked.text, asked.edges, func(n int) {
			terms = append(terms, scored{n, closeness(segment.term(n), asked.text)})
		})
		order.By(terms, func(a, b scored) int { return cmp.Compare(b.factor, a.factor) }) // closest first
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

// Rarity is how much a word tells: the fewer documents have it, the more.
func (x *Index) Rarity(word string) float64 {
	return math.Log(1 + float64(x.live)/float64(x.having(fold.String(word))+1))
}

// having counts the documents that have a token.
func (x *Index) having(token string) (count int) {
	for _, p := range x.filled {
		if n := p.batch.segment().find(token); n >= 0 {
			count += p.having(n)
		}
	}
	runtime.KeepAlive(x)
	return count
}

// scan returns the documents with a literal by reading the texts that have all its words. Unless among is nil, only
// its documents are read.
func (x *Index) scan(literal Literal, folded string, runs []run, among Set) *Hits {
	c := x.collect(0)
	c.among = among
	for _, p := range x.filled {
		c.scan(p, literal, folded, runs)
	}
	return c.hits
}

// scan reads the texts of a single segment.
func (c *collector) scan(p *part, literal Literal, folded string, runs []run) {
	segment := p.batch.segment()
	check := checker{literal: literal, folded: []byte(folded)}
	check.opaque = literal.Exact || literal.Bounded && !fold.IsASCII([]byte(literal.Text))
	check.ascii = fold.IsASCII(check.folded)
	if literal.Bounded && !check.opaque && len(runs) > 1 && !segment.odd() && bytes.IndexByte(check.folded, '\n') < 0 {
		if first, second, usable := segment.rarest(runs); usable {
			if first != nil {
				check.from = first.run.from
				c.phrase(p, &check, first, second)
			}
			return
		}
	}
	candidates, anchor := segment.candidates(runs)
	if anchor == nil || bytes.IndexByte(check.folded, '\n') >= 0 {
		for doc := range segment.docs {
			if (candidates == nil || candidates.Has(doc)) && c.wants(p, doc) && literal.In(segment.TextIn(doc, &c.room)) {
				c.add(p, segment, doc, 1)
			}
		}
		runtime.KeepAlive(segment)
		return
	}
	check.from = anchor.run.from
	for _, term := range anchor.terms {
		c.around(p, &check, term, candidates)
	}
}

// around adds the documents that have a literal around the positions of a term. Unless candidates is nil, only they are
// read.
func (c *collector) around(p *part, check *checker, term int, candidates Set) {
	segment := p.batch.segment()
	positions := positionReader{segment.positionsOf(term)}
	for list := newPostings(segment.documents(term)); list.next(); {
		if list.count == 0 {
			continue
		}
		if candidates != nil && !candidates.Has(list.doc) || !c.wants(p, list.doc) || c.hits.Docs.Has(p.first+list.doc) {
			positions.skip(list.count)
			continue
		}
		check.positions = positions.take(list.count, check.positions[:0])
		c.check(p, check, list.doc)
	}
	runtime.KeepAlive(segment)
}

// check adds a document if its text has the literal at one of the checker's positions.
func (c *collector) check(p *part, check *checker, doc int) {
	if len(check.positions) == 0 {
		return // without unpacking the text
	}
	segment := p.batch.segment()
	if found := check.count(segment.TextIn(doc, &c.room)); found > 0 {
		c.add(p, segment, doc, float32(found))
	}
}

// anchor is a run that begins a token. The literal is searched for at the positions of these tokens.
type anchor struct {
	run   run
	terms []int
}

// candidates returns the documents of a segment that have all runs in their text, or nil if the runs exclude none;
// and the anchor with the fewest positions.
func (s *Segment) candidates(runs []run) (Set, *anchor) {
	var all Set
	var best *anchor
	least := 0
	for _, run := range runs {
		if len(run.text) < 3 && run.edges&fromStart == 0 {
			continue
		}
		found, size := NewSet(s.docs), 0
		var terms []int
		s.matching(run.text, run.edges, func(n int) {
			terms = append(terms, n)
			size += len(s.positionsOf(n))
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
		if run.edges&fromStart != 0 && (best == nil || size < least && !(best.run.from == 0 && isUnspaced(best.run.text))) {
			best, least = &anchor{run, terms}, size
		}
	}
	return all, best
}

// checker checks the positions where a literal may be.
type checker struct {
	literal   Literal
	folded    []byte
	opaque    bool // only In can tell
	ascii     bool
	from      int // offset of the anchor in the folded literal
	positions []int32
}

// count returns how often the literal is in a text at the positions. Where only In can tell, a line counts at most
// once.
func (c *checker) count(text []byte) int {
	found, looked := 0, -1
	for _, position := range c.positions {
		at := int(position)
		switch c.at(text, at-c.from) {
		case yes:
			found++
		case unsure:
			if at < looked {
				continue // in the line that was just checked
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

// at compares the literal with a text at an offset. Doubtful cases are left to In.
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
		return unsure // it may combine with the letter at the edge
	}
	if c.literal.Bounded && (joins(before, c.folded[0]) || joins(after, c.folded[len(c.folded)-1])) {
		return no
	}
	return yes
}

// foldedAt compares character by character. A mark combines with the character before it; and if the literal does
// not begin with its anchor, its start in the text is only a guess.
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

// neighbour returns the byte at an offset, or a space if that is outside of the text.
func neighbour(text []byte, at int) byte {
	if at < 0 || at >= len(text) {
		return ' '
	}
	return text[at]
}

// joins reports whether two characters have no word boundary between them.
func joins(a, b byte) bool { return fold.IsWord(rune(a)) && fold.IsWord(rune(b)) }
