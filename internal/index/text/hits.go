package text

import (
	"math"
	"runtime"
	"slices"
	"sync"
)

// Hits are documents that contain something, with what ranking needs.
type Hits struct {
	Docs   Set
	Titles Set // those of them that have it in their titles, dead ones too
	list   []hit
	mean   float64
}

// hit is a document with the weighed count of what was found in it.
type hit struct {
	doc    int32
	norm   byte
	weight float32
}

// Len is the number of documents.
func (h *Hits) Len() int { return len(h.list) }

// Score adds to the scores of documents what these hits are worth, by BM25:
// the rarer the better, the more often the better, but ever less so, and in a
// short text more than in a long one.
func (h *Hits) Score(x *Index, scores []float32) {
	const (
		k1 = 1.2
		b  = 0.75
	)
	count := float64(len(h.list))
	rarity := float32(math.Log(1 + (float64(x.live)-count+0.5)/(count+0.5)))
	var damp [256]float32
	for norm := range damp {
		damp[norm] = float32(k1 * (1 - b + b*lengths[norm]/math.Max(1, h.mean)))
	}
	for _, one := range h.list {
		scores[one.doc] += rarity * one.weight * (k1 + 1) / (one.weight + damp[one.norm])
	}
}

// collector gathers the hits of one question over all segments.
type collector struct {
	x     *Index
	hits  *Hits
	where Fields
}

func (x *Index) collect(where Fields) *collector {
	x.sum()
	return &collector{x: x, where: where, hits: &Hits{Docs: NewSet(x.docs), Titles: NewSet(x.docs), mean: x.sums.mean}}
}

// scored is a term with the factor of what it is worth.
type scored struct {
	term   int
	factor float32
}

// scratch is memory that queries use one after the other.
type scratch struct {
	sums    []float32 // by document; all 0 between uses
	touched []int32
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// terms adds the documents of a segment in which any of some terms stands in
// one of the fields asked for. Of terms that have the word inside it only
// counts that they are there.
func (c *collector) terms(p *part, terms []scored) {
	segment := p.get()
	work := scratches.Get().(*scratch)
	defer scratches.Put(work)
	if len(work.sums) < segment.docs {
		work.sums = make([]float32, segment.docs)
	}
	touched := work.touched[:0]
	for _, one := range terms {
		most := float32(math.MaxFloat32)
		if one.factor == inside {
			most = inside
		}
		for list := newPostings(segment.documents(one.term)); list.next(); {
			weight := float32(list.count)
			if list.mask != 0 || list.count == 0 {
				if weight = c.weight(&list); weight == 0 {
					continue
				}
				if list.mask&uint8(Title) != 0 {
					c.hits.Titles.Add(p.first + list.doc)
				}
			}
			sum := work.sums[list.doc]
			if sum == 0 {
				touched = append(touched, int32(list.doc))
			} else if sum >= most {
				continue
			}
			work.sums[list.doc] = sum + min(weight*one.factor, most)
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

// weight is what the occurrences in a document are worth; 0 where none is in
// a field that counts.
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
