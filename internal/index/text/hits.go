package text

import (
	"math"
	"runtime"
	"sync"
)

// Hits are documents that contain something, with what ranking needs.
type Hits struct {
	Docs Set
	list []hit
	mean float64
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
		damp[norm] = float32(k1 * (1 - b + b*lengthOf(byte(norm))/math.Max(1, h.mean)))
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
	sums  []float32 // by document, where several terms may hit it
	norms []byte
}

func (x *Index) collect(where Fields) *collector {
	x.sum()
	return &collector{x: x, where: where, hits: &Hits{Docs: NewSet(x.docs), mean: x.sums.mean}}
}

// one adds the documents of a segment in which any of some terms stands in
// one of the fields asked for.
func (c *collector) terms(p *part, terms []scored) {
	segment := p.get()
	if len(terms) == 1 {
		c.single(p, segment, terms[0])
		return
	}
	sums := sumPool.Get().(*[]float32)
	defer sumPool.Put(sums)
	if len(*sums) < segment.docs {
		*sums = make([]float32, segment.docs)
	}
	touched := make([]int32, 0, 64)
	for _, one := range terms {
		for list := newPostings(segment.documents(one.term)); list.next(); {
			weight := c.weight(&list)
			if weight == 0 || p.dead.Has(list.doc) {
				continue
			}
			if (*sums)[list.doc] == 0 {
				touched = append(touched, int32(list.doc))
			}
			(*sums)[list.doc] += weight * one.factor
		}
	}
	for _, doc := range touched {
		c.add(p, segment, int(doc), (*sums)[doc])
		(*sums)[doc] = 0
	}
	runtime.KeepAlive(segment)
}

var sumPool = sync.Pool{New: func() any { return new([]float32) }}

// scored is a term with the factor of what it is worth.
type scored struct {
	term   int
	factor float32
}

func (c *collector) single(p *part, segment *Segment, one scored) {
	for list := newPostings(segment.documents(one.term)); list.next(); {
		if weight := c.weight(&list); weight > 0 && !p.dead.Has(list.doc) {
			c.add(p, segment, list.doc, weight*one.factor)
		}
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
