package text

import (
	"cmp"
	"runtime"
	"slices"

	"obsidian-mcp/internal/text/order"
)

// windowSize is how many bytes a passage has.
const windowSize = 240

// reranked is how many of the best documents are ordered again by how close together they have the words. It does not
// depend on how many are asked for, so that pages fit together.
const reranked = 64

// A word that more documents have than one in commonShare, and more than commonDocs, says nothing about where they answer
// a question.
const (
	commonShare = 4
	commonDocs  = 64
)

// place is where a document has a word of a question: the offset, and in the lower half the number of the word. A list
// of them is sorted as numbers.
type place uint64

func newPlace(at int32, unit int) place { return place(at)<<32 | place(unit) }
func (p place) at() int32               { return int32(p >> 32) }
func (p place) unit() int               { return int(uint32(p)) }

// rerank adds to the scores of the first documents what their best passage is worth: the rarity of the words in it.
func (q *Question) rerank(found []Ranked, by Order) {
	found = found[:min(len(found), reranked)]
	places := q.places(found)
	for i := range found {
		worth, at := q.passage(places[i])
		if len(q.units) > 1 { // a single word is never far from others, and may be in the title
			found[i].Score += worth
		}
		found[i].At = at
	}
	by.sort(found)
}

// places finds the words of a question in some documents, the most common words left out.
func (q *Question) places(found []Ranked) [][]place {
	places := make([][]place, len(found))
	byDoc := make([]int, len(found))
	for i := range byDoc {
		byDoc[i] = i
	}
	order.By(byDoc, func(a, b int) int { return cmp.Compare(found[a].Doc, found[b].Doc) })
	var buf []int32
	for number, u := range q.units {
		if u.docs > max(commonDocs, q.x.live/commonShare) {
			continue
		}
		for i, p := range q.x.parts {
			segment := p.batch.segment()
			for _, term := range u.terms[i] {
				if term.factor == inside || term.factor == asPrefix && len(u.text) < 3 {
					continue // found in too many places
				}
				next := 0
				for next < len(byDoc) && found[byDoc[next]].Doc < p.first {
					next++
				}
				positions := positionReader{segment.positionsOf(term.term)}
				for list := newPostings(segment.documents(term.term)); list.next() && next < len(byDoc); {
					doc := p.first + list.doc
					for next < len(byDoc) && found[byDoc[next]].Doc < doc {
						next++
					}
					if next == len(byDoc) || found[byDoc[next]].Doc != doc {
						positions.skip(list.count)
						continue
					}
					buf = positions.take(list.count, buf[:0])
					for _, at := range buf {
						places[byDoc[next]] = append(places[byDoc[next]], newPlace(at, number))
					}
				}
			}
		}
	}
	return places
}

// passage returns what the best passage is worth, the sum of the rarities of the different words in it, and where it
// begins, plus one.
func (q *Question) passage(places []place) (worth float32, at int) {
	slices.Sort(places)
	counts, last := make([]int, len(q.units)), make([]int32, len(q.units))
	sum, from := float32(0), 0
	for _, next := range places {
		unit := next.unit()
		last[unit] = next.at()
		if counts[unit]++; counts[unit] == 1 {
			sum += q.units[unit].rarity
		}
		for ; places[from].at()+windowSize < next.at(); from++ {
			gone := places[from].unit()
			if counts[gone]--; counts[gone] == 0 {
				sum -= q.units[gone].rarity
			}
		}
		if sum <= worth*1.0001 { // sums of the same words may differ a little
			continue
		}
		worth, at = sum, int(next.at())
		for unit, count := range counts {
			if count > 0 {
				at = min(at, int(last[unit]))
			}
		}
		at++
	}
	return worth, at
}

// Word is a word of a question, as it is looked up.
type Word struct {
	Text   string
	Rarity float64 // how much it tells
}

// Hit is a place where a document has a word of a question.
type Hit struct {
	At   int // offset in the text
	Word int // number of the word
}

// Hits finds the words of a question in some documents, in the order of the text. Words that most documents have, which say
// nothing about where they answer a question, are left out.
func (q *Question) Hits(docs []int) (words []Word, hits [][]Hit) {
	defer runtime.KeepAlive(q.x)
	for _, u := range q.units {
		words = append(words, Word{u.text, float64(u.rarity)})
	}
	found := make([]Ranked, len(docs))
	for i, doc := range docs {
		found[i].Doc = doc
	}
	for _, places := range q.places(found) {
		slices.Sort(places)
		list := make([]Hit, len(places))
		for i, place := range places {
			list[i] = Hit{int(place.at()), place.unit()}
		}
		hits = append(hits, list)
	}
	return words, hits
}
