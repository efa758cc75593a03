package text

import (
	"math"
	"runtime"
	"slices"
	"sync"
)

// Hits are documents that contain something, with what ranking needs.
type Hits struct {
	Docs Set
	list []hit
	mean float64
}

// hit is a document with the weighted number of occurrences in it.
type hit struct {
	doc    int32
	norm   byte
	weight float32
}

// Len is the number of documents.
func (h *Hits) Len() int { return len(h.list) }

// By BM25, rare words count more, repeated occurrences count less and less, and a short text counts more than a long one.
const (
	k1 = 1.2
	b  = 0.75
)

// dampings returns by norm how much a text's length holds back occurrences, if texts have mean tokens on average.
func dampings(mean float64) (damp [256]float32) {
	for norm := range damp {
		damp[norm] = float32(k1 * (1 - b + b*lengths[norm]/max(1, mean)))
	}
	return damp
}

// Score adds what these hits are worth to the scores of documents.
func (h *Hits) Score(x *Index, scores []float32) {
	rarity, damp := x.rarityOf(len(h.list)), dampings(h.mean)
	for _, hit := range h.list {
		scores[hit.doc] += rarity * hit.weight * (k1 + 1) / (hit.weight + damp[hit.norm])
	}
}

// collector gathers the hits of a question over all segments.
type collector struct {
	x     *Index
	hits  *Hits
	where Fields
	among Set    // nil: all
	room  []byte // buffer for unpacked texts
}

// wants reports whether a document of a part may be a hit.
func (c *collector) wants(p *part, doc int) bool {
	return !p.dead.Has(doc) && (c.among == nil || c.among.Has(p.first+doc))
}

func (x *Index) collect(where Fields) *collector {
	x.computeTotals()
	hits := &Hits{Docs: NewSet(x.docs), mean: x.totals.mean}
	return &collector{x: x, where: where, hits: hits}
}

// scored is a term with the factor that its occurrences are multiplied by.
type scored struct {
	term   int
	factor float32
}

// scratch is working memory that queries reuse.
type scratch struct {
	sums    []float32 // by document; all 0 between uses
	touched []int32
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// terms adds the documents of a segment that have any of some terms in a requested field. Terms that contain the
// word only inside add a fixed weight, however often they occur.
func (c *collector) terms(p *part, terms []scored) {
	segment := p.batch.segment()
	work := scratches.Get().(*scratch)
	defer scratches.Put(work)
	if len(work.sums) < segment.docs {
		work.sums = make([]float32, segment.docs)
	}
	touched := work.touched[:0]
	for _, term := range terms {
		most := float32(math.MaxFloat32)
		if term.factor == inside {
			most = inside
		}
		for list := newPostings(segment.documents(term.term)); list.next(); {
			weight := float32(list.count)
			if list.mask != 0 || list.count == 0 {
				if weight = c.weight(&list); weight == 0 {
					continue
				}
			}
			sum := work.sums[list.doc]
			if sum == 0 {
				touched = append(touched, int32(list.doc))
			} else if sum >= most {
				continue
			}
			work.sums[list.doc] = sum + min(weight*term.factor, most)
		}
	}
	work.touched = touched
	c.hits.list = slices.Grow(c.hits.list, len(touched))
	for _, doc := range touched {
		if !p.dead.Has(int(doc)) {
			c.add(p, segment, int(doc), work.sums[doc])
		}
		work.sums[doc] = 0
	}
	runtime.KeepAlive(segment)
}

// weight returns what the occurrences in a document are worth; 0 if all are in fields that do not count.
func (c *collector) weight(list *postings) float32 {
	if c.where != 0 && !(c.where&Body != 0 && list.count > 0) && Fields(list.mask)&c.where == 0 {
		return 0
	}
	return float32(list.count) + boosts[list.mask]
}

func (c *collector) add(p *part, segment *Segment, doc int, weight float32) {
	c.hits.Docs.Add(p.first + doc)
	c.hits.list = append(c.hits.list, hit{int32(p.first + doc), segment.norms[doc], weight})
}
