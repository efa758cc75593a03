package text

import (
	"cmp"
	"runtime"
	"slices"

	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/order"
)

// All narrows a set down to the documents that contain all of some literals in their text or their title, beginning
// with the rarest literal. When the set is so small that reading its documents takes less than looking up the next
// literal, it stops, and exact is false: the caller must check the documents that are left.
//
// As with Find, the caller decides about titles of several words: named reports whether a document's title contains
// a literal.
func (q *Question) All(literals []Literal, among Set, named func(doc int, literal Literal) bool) (left Set, exact bool) {
	defer runtime.KeepAlive(q.x)
	asked := make([]asking, len(literals))
	for i, literal := range literals {
		asked[i] = q.asking(literal)
	}
	order.Stably(asked, func(a, b asking) int { return cmp.Compare(a.docs, b.docs) })
	left = slices.Clone(among)
	for i, a := range asked {
		if i > 0 && q.x.isShort(left, fewTexts) {
			return left, left.Len() == 0
		}
		left.And(q.having(a, left, named))
	}
	return left, true
}

// asking is a literal of a question.
type asking struct {
	literal Literal
	folded  string
	runs    []run
	unit    *unit // that the dictionary alone can answer; nil: the texts must be read
	docs    int   // about how many documents have it
}

func (q *Question) asking(literal Literal) asking {
	a := asking{literal: literal, folded: fold.String(literal.Text)}
	a.runs = runsOf(a.folded, literal.Bounded)
	if simple(literal, a.folded, a.runs) {
		a.unit = q.byText[a.folded]
	}
	a.docs = q.x.live
	var t tokenizer
	for _, text := range unitsOf(&t, a.folded) {
		if u := q.byText[text]; u != nil {
			a.docs = min(a.docs, u.docs)
		}
	}
	return a
}

// The most bytes of texts that are read instead of looking up more terms.
const (
	fewTexts  = 16 << 10
	someTexts = 128 << 10
)

// isShort reports whether the texts of some documents are short, all together.
func (x *Index) isShort(docs Set, most int) bool {
	for doc := range docs.All() {
		p := x.parts[x.partOf(doc)]
		if most -= 256 + p.batch.texts().Size(doc-p.first); most < 0 {
			return false
		}
	}
	return true
}

// having returns the documents of a set that contain a literal. The result may have others too.
func (q *Question) having(a asking, among Set, named func(doc int, literal Literal) bool) Set {
	if a.unit == nil {
		found := q.x.scan(a.literal, a.folded, a.runs, among).Docs
		for doc := range q.x.Titled(a.literal).All() {
			if among.Has(doc) && !found.Has(doc) && named(doc, a.literal) {
				found.Add(doc)
			}
		}
		return found
	}
	found, missing := NewSet(q.x.docs), among.Len()
	for i, p := range q.x.parts {
		for _, term := range a.unit.terms[i] {
			if a.unit.rare || term.factor == asIs {
				missing -= p.holding(term.term, a.unit.text, among, found)
			}
		}
	}
	if a.unit.rare || missing == 0 {
		return found
	}
	doubtful := slices.Clone(among)
	doubtful.Without(found)
	if q.x.isShort(doubtful, someTexts) {
		for doc := range doubtful.All() {
			q.x.Text(doc, func(text []byte, _ bool) {
				if a.literal.In(text) || named(doc, a.literal) {
					found.Add(doc)
				}
			})
		}
		return found
	}
	for _, p := range q.x.filled {
		p.batch.segment().matching(a.unit.text, a.runs[0].edges, func(n int) {
			if missing > 0 {
				missing -= p.holding(n, a.unit.text, among, found)
			}
		})
	}
	return found
}

// holding adds the documents of a set that have a term, if it contains a text, in their text or title, and returns how
// many are new.
func (p *part) holding(n int, text string, among, found Set) (added int) {
	segment := p.batch.segment()
	if !fits(segment.term(n), text, 0) {
		return 0
	}
	for list := newPostings(segment.documents(n)); list.next(); {
		doc := p.first + list.doc
		if (list.count > 0 || list.mask&uint8(Title) != 0) && among.Has(doc) && !found.Has(doc) {
			found.Add(doc)
			added++
		}
	}
	return added
}
