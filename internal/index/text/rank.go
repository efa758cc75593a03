package text

import (
	"cmp"
	"runtime"
	"sync"

	"obsidian-mcp/internal/text/order"
)

// Ranked is a document with how well it answers a question.
type Ranked struct {
	Doc   int
	Score float32
	At    int // offset of the passage that fits best, plus one; 0: unknown
}

// Order decides what Rank cannot know about documents.
type Order struct {
	Bonus func(doc int) float32 // what a document that has all words scores for its title
	Less  func(a, b int) bool   // which of two equally good documents comes first
}

// Rank returns the documents that answer a question best: among those of full, which are known to match, and then
// among those of rest, which may lack some of the words. Both lists have at most limit documents. All documents of
// full count, even if no word of the question can be looked up.
//
// Words are taken from the rarest to the most common. Once no further document can reach the best ones by the
// words that are left, these are only counted in the documents that are still in question.
func (q *Question) Rank(full, rest Set, limit int, by Order) (best, others []Ranked) {
	defer runtime.KeepAlive(q.x)
	r := rankers.Get().(*ranker)
	defer r.release()
	// The only word of a question needs no passage, unless it is spelt differently in the text.
	hasPassages := len(q.units) > 1 || len(q.units) == 1 && q.units[0].docs == 0
	candidates := limit
	if hasPassages {
		candidates = max(limit, reranked)
	}
	r.begin(q, full, rest, candidates)
	for i, u := range q.units {
		r.narrow(i)
		r.unit(u, i == 0)
	}
	best, others = r.results(by)
	if hasPassages {
		q.rerank(best, by)
		q.rerank(others, by)
	}
	return best[:min(limit, len(best))], others[:min(limit, len(others))]
}

// ranker is the working memory of a ranking.
type ranker struct {
	q      *Question
	x      *Index
	full   Set
	limit  int
	only   bool // only documents of full are wanted
	closed bool // no document is added any more
	open   Set  // documents that may still be added or, once closed, that are still in question
	seen   Set
	titled []int32 // documents of full that have the rarest word in their title

	docs    []int32   // that have been scored
	scores  []float32 // by document; 0 between uses
	covers  []float32 // the rarity of the words that the document has
	sums    []float32 // the weight of the current word; 0 between uses
	touched []int32
	bounds  []float32
	damp    [256]float32
}

var rankers = sync.Pool{New: func() any { return new(ranker) }}

func (r *ranker) begin(q *Question, full, rest Set, limit int) {
	r.q, r.x, r.full, r.limit, r.only, r.closed = q, q.x, full, limit, rest == nil, false
	if len(r.scores) < r.x.docs {
		r.scores, r.covers, r.sums = make([]float32, r.x.docs), make([]float32, r.x.docs), make([]float32, r.x.docs)
	}
	r.open = append(r.open[:0], full...)
	r.seen = append(r.seen[:0], full...)
	if rest != nil {
		r.open.Or(rest)
	}
	r.docs, r.titled = r.docs[:0], r.titled[:0]
	for doc := range full.All() {
		r.docs = append(r.docs, int32(doc))
	}
	q.rarity = 0
	for _, u := range q.units {
		q.rarity += u.rarity
	}
	r.damp = dampings(r.x.totals.mean)
}

// release clears the memory for the next use.
func (r *ranker) release() {
	for _, doc := range r.docs {
		r.scores[doc], r.covers[doc] = 0, 0
	}
	r.q, r.x, r.full = nil, nil, nil
	rankers.Put(r)
}

// final is the score of a document that may lack words: the more of what the question tells is missing, the less it is
// worth.
func (r *ranker) final(score, cover float32) float32 {
	return score * cover / r.q.rarity
}

// narrow closes the list of documents, or shortens it, if the words that are left cannot bring others to the top.
func (r *ranker) narrow(from int) {
	if r.only || len(r.docs) < r.limit {
		return
	}
	left, cover := float32(0), float32(0)
	for _, u := range r.q.units[from:] {
		left += u.rarity * (k1 + 1)
		cover += u.rarity
	}
	r.bounds = r.bounds[:0]
	for _, doc := range r.docs {
		if !r.full.Has(int(doc)) {
			r.bounds = append(r.bounds, r.final(r.scores[doc], r.covers[doc]))
		}
	}
	if len(r.bounds) < r.limit {
		return
	}
	worst := kth(r.bounds, r.limit)
	if !r.closed && r.final(left, cover) >= worst {
		return
	}
	r.closed = true
	clear(r.open)
	for _, doc := range r.docs {
		if r.full.Has(int(doc)) || r.final(r.scores[doc]+left, r.covers[doc]+cover) >= worst {
			r.open.Add(int(doc))
		}
	}
}

// kth returns the kth largest of some values, and changes their order.
func kth(values []float32, k int) float32 {
	low, high := 0, len(values)-1
	for low < high {
		pivot := values[(low+high)/2]
		i, j := low, high
		for i <= j {
			for values[i] > pivot {
				i++
			}
			for values[j] < pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch {
		case k-1 <= j:
			high = j
		case k-1 >= i:
			low = i
		default:
			return values[k-1]
		}
	}
	return values[k-1]
}

// unit adds what a word is worth to the scores of documents. The number of documents that have it is known only after
// all its terms have been read.
func (r *ranker) unit(u *unit, first bool) {
	r.touched = r.touched[:0]
	count := 0
	for i, p := range r.x.parts {
		if len(u.terms[i]) > 0 {
			count += r.sum(p, u.terms[i], first)
		}
	}
	rarity := r.x.rarityOf(count)
	r.q.rarity += rarity - u.rarity
	u.rarity = rarity
	at := 0
	for _, doc := range r.touched {
		for int(doc) >= r.x.parts[at].first+r.x.parts[at].batch.count {
			at++
		}
		p := r.x.parts[at]
		weight := r.sums[doc]
		r.sums[doc] = 0
		if !r.seen.Has(int(doc)) {
			r.seen.Add(int(doc))
			r.docs = append(r.docs, doc)
		}
		r.scores[doc] += rarity * weight * (k1 + 1) / (weight + r.damp[p.batch.segment().norms[int(doc)-p.first]])
		r.covers[doc] += rarity
	}
}

// sum adds up the weights of the terms of a word in the documents of a part that are in question, and counts all live
// documents that have one of the terms.
func (r *ranker) sum(p *part, terms []scored, first bool) (count int) {
	segment := p.batch.segment()
	var counted Set
	if len(terms) > 1 {
		counted = NewSet(p.batch.count)
	}
	whole := p.alive == p.batch.count
	for _, term := range terms {
		most := float32(1e30)
		if term.factor == inside {
			most = inside
		}
		for list := newPostings(segment.documents(term.term)); list.next(); {
			if !whole && p.dead.Has(list.doc) {
				continue
			}
			if counted == nil {
				count++
			} else if !counted.Has(list.doc) {
				counted.Add(list.doc)
				count++
			}
			doc := p.first + list.doc
			if !r.open.Has(doc) {
				continue
			}
			weight := float32(list.count)
			if list.mask != 0 {
				weight += boosts[list.mask]
				if first && list.mask&uint8(Title) != 0 && r.full.Has(doc) {
					r.titled = append(r.titled, int32(doc))
				}
			}
			sum := r.sums[doc]
			if sum == 0 {
				r.touched = append(r.touched, int32(doc))
			} else if sum >= most {
				continue
			}
			r.sums[doc] = sum + min(weight*term.factor, most)
		}
	}
	return count
}

// results returns the best documents of full, and the best of the others.
func (r *ranker) results(by Order) (best, others []Ranked) {
	for _, doc := range r.titled {
		r.scores[doc] += by.Bonus(int(doc))
	}
	best = r.top(by, func(doc int32) (score float32, counts bool) {
		return r.scores[doc], r.full.Has(int(doc))
	})
	if r.only {
		return best, nil
	}
	return best, r.top(by, func(doc int32) (score float32, counts bool) {
		return r.final(r.scores[doc], r.covers[doc]), r.open.Has(int(doc)) && !r.full.Has(int(doc))
	})
}

// top returns the best of the documents that count, in order.
func (r *ranker) top(by Order, scoreOf func(doc int32) (score float32, counts bool)) []Ranked {
	r.bounds = r.bounds[:0]
	for _, doc := range r.docs {
		if score, counts := scoreOf(doc); counts {
			r.bounds = append(r.bounds, score)
		}
	}
	worst := float32(-1) // of those that are among the best
	if r.limit == 0 {
		return nil
	} else if len(r.bounds) > r.limit {
		worst = kth(r.bounds, r.limit)
	}
	var better, equal []Ranked // than the worst one; only some of the equal ones are among the best
	for _, doc := range r.docs {
		switch score, counts := scoreOf(doc); {
		case !counts:
		case score > worst:
			better = append(better, Ranked{Doc: int(doc), Score: score})
		case score == worst:
			equal = append(equal, Ranked{Doc: int(doc), Score: score})
		}
	}
	by.sort(better)
	by.sort(equal)
	return append(better, equal[:min(len(equal), r.limit-len(better))]...)
}

// sort puts the best documents first.
func (o Order) sort(all []Ranked) {
	order.By(all, func(a, b Ranked) int {
		if a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		if o.Less(a.Doc, b.Doc) {
			return -1
		}
		return 1
	})
}
