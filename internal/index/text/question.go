package text

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"unicode/utf8"

	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/order"
	"obsidian-mcp/internal/text/stem"
)

// Question is what a person asks in plain words, looked up in an index.
type Question struct {
	x      *Index
	units  []*unit          // those that occur, the rarest first
	rarity float32          // of all units together
	byText map[string]*unit // all units
}

// unit is a token of a question. Of a run without spaces every pair of characters is a unit.
type unit struct {
	text   string
	terms  [][]scored // by part of the index: the terms that count as this token, the closest first
	docs   int        // that have the token itself
	rare   bool       // terms has all terms that contain the token
	least  int        // the least number of documents that have one of the terms
	rarity float32    // an upper bound until the documents are counted
}

// Ask looks up the words of a question.
func (x *Index) Ask(words []string) *Question {
	defer runtime.KeepAlive(x)
	x.computeTotals()
	q := &Question{x: x, byText: map[string]*unit{}}
	var t tokenizer
	for _, word := range words {
		for _, run := range unitsOf(&t, fold.String(word)) {
			if q.byText[run] == nil {
				q.byText[run] = x.lookUp(run)
				q.units = append(q.units, q.byText[run])
			}
		}
	}
	q.units = slices.DeleteFunc(q.units, func(u *unit) bool { return u.least == 0 })
	order.By(q.units, func(a, b *unit) int { return cmp.Or(cmp.Compare(a.least, b.least), cmp.Compare(a.text, b.text)) })
	return q
}

// Known is the share of the question's tokens that occur in some document, as they are or nearly so.
func (q *Question) Known() float64 {
	if len(q.byText) == 0 {
		return 0
	}
	return float64(len(q.units)) / float64(len(q.byText))
}

// unitsOf cuts a folded word into the tokens that count.
func unitsOf(t *tokenizer, word string) []string {
	var units []string
	from := -1
	t.each([]byte(word), func(term []byte, at int) {
		single := isUnspaced(string(term)) && utf8.RuneCount(term) == 1
		if single && len(units) > 0 && from+len(units[len(units)-1]) == at+len(term) {
			return // the last character of a run is the second one of a pair
		}
		units, from = append(units, string(term)), at
	})
	return units
}

// Only a token that is rare by itself is also looked for in other words: a common one, or a single letter, would be found
// in most of them.
const (
	rareShare  = 32 // a token is rare if at most one document in 32 has it,
	rareAlways = 2  // or if no more documents have it than this
)

// lookUp finds the terms of a token.
func (x *Index) lookUp(text string) *unit {
	u := &unit{text: text, terms: make([][]scored, len(x.parts))}
	for i, p := range x.filled {
		if n := p.batch.segment().find(text); n >= 0 {
			u.terms[i] = append(u.terms[i], scored{n, asIs})
			u.docs += p.having(n)
		}
	}
	u.least = u.docs
	if !isUnspaced(text) {
		u.rare = len(text) > 1 && u.docs <= max(rareAlways, x.live/rareShare)
		x.related(u)
	}
	if u.least == 0 {
		x.misspelt(u)
	}
	u.rarity = x.rarityOf(u.least)
	return u
}

// add counts a term of a part as the token.
func (u *unit) add(at int, p *part, term int, factor float32) {
	u.terms[at] = append(u.terms[at], scored{term, factor})
	u.least = max(u.least, p.having(term))
}

// Any reports whether a document that fits has a token in its text.
func (x *Index) Any(token string, fits func(doc int) bool) bool {
	defer runtime.KeepAlive(x)
	token = fold.String(token)
	for _, p := range x.filled {
		segment := p.batch.segment()
		n := segment.find(token)
		if n < 0 {
			continue
		}
		for list := newPostings(segment.documents(n)); list.next(); {
			if list.count > 0 && !p.dead.Has(list.doc) && fits(p.first+list.doc) {
				return true
			}
		}
	}
	return false
}

// having counts the live documents that have a term.
func (p *part) having(n int) int {
	segment := p.batch.segment()
	if p.alive == p.batch.count {
		return segment.frequency(n)
	}
	count := 0
	for list := newPostings(segment.documents(n)); list.next(); {
		if !p.dead.Has(list.doc) {
			count++
		}
	}
	return count
}

// related adds the terms that have the same stem as a token and, if it is rare, those that contain it.
func (x *Index) related(u *unit) {
	root := stem.Of(u.text)
	for i, p := range x.filled {
		segment := p.batch.segment()
		known := len(u.terms[i])
		stem.Starts(root, func(start string) {
			segment.from(start, func(n int, term []byte) bool {
				isForm := string(term) != u.text && len(term) <= len(start)+stem.Longest && stem.Of(string(term)) == root
				if isForm && fits(term, start, fromStart) {
					u.add(i, p, n, asForm)
				}
				return fits(term, start, fromStart)
			})
		})
		if u.rare {
			forms := len(u.terms[i])
			segment.matching(u.text, 0, func(n int) {
				if !slices.ContainsFunc(u.terms[i][:forms], func(s scored) bool { return s.term == n }) {
					u.add(i, p, n, closeness(segment.term(n), u.text))
				}
			})
		}
		order.Stably(u.terms[i][known:], func(a, b scored) int { return cmp.Compare(b.factor, a.factor) })
	}
}

// misspelt adds the terms that are spelt nearly like a token that no document has, and those that it begins with: words
// of some languages have many endings.
func (x *Index) misspelt(u *unit) {
	letters := utf8.RuneCountInString(u.text)
	for i, p := range x.filled {
		segment := p.batch.segment()
		segment.similar(u.text, func(n int) { u.add(i, p, n, asTypo) })
		end := len(u.text)
		for count := letters - 1; count >= max(4, (letters+1)/2); count-- {
			_, size := utf8.DecodeLastRuneInString(u.text[:end])
			end -= size
			if n := segment.find(u.text[:end]); n >= 0 {
				u.add(i, p, n, asTypo)
			}
		}
		order.By(u.terms[i], func(a, b scored) int { return cmp.Compare(a.term, b.term) })
		u.terms[i] = slices.CompactFunc(u.terms[i], func(a, b scored) bool { return a.term == b.term })
	}
}

// rarityOf is how much a word says about the documents that have it, given their number.
func (x *Index) rarityOf(docs int) float32 {
	count := float64(docs)
	return float32(math.Log(1 + (float64(x.live)-count+0.5)/(count+0.5)))
}
