package index

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/meaning"
	"obsidian-mcp/internal/text/order"
)

const (
	// fusedDepth is how many notes by words, and how many by meaning, are put together.
	fusedDepth = 50
	// fusedRank is how little the first ranks count above the later ones.
	fusedRank = 10
	// meaningWeight is how much a rank by meaning counts beside the same rank by words. It was chosen on the odd questions of
	// the two sets of make bench-retrieval.
	meaningWeight = 0.4
	// leastAlike is the least cosine of a question and a note that answers it, leastWithWords that of a note that also has words
	// of the question.
	leastAlike     = 0.3
	leastWithWords = 0.2
	// fewWords is the most words of a query that is not taken for a question. The notes that have them all come first.
	fewWords = 3
	// leaderRank is the rank that the first note by words never falls below. If it scores clearLead times as much as the second,
	// it stays first.
	leaderRank = 3
	clearLead  = 1.2
	// leastKnown is the least share of a question's words that must occur in the vault for them to count fully. If fewer do, they
	// may be those that every question has.
	leastKnown = 0.3
)

// fused ranks notes by words and by meaning together. The notes that have all words of a short query come first, by words. A
// question is answered by the best notes, whether or not they have every word of it.
func (p *plan) fused(words []string, v *meaning.Vector, full text.Set) []Found {
	limit := p.search.Limit
	depth := max(fusedDepth, limit)
	isQuestion := wordCount(words) > fewWords
	isEnough := full.Len() >= limit || len(words) == 1 && full.Len() > 0
	if isEnough && !isQuestion && !p.search.OnlyMeaning {
		return p.answers(words, full)
	}
	var first []Found
	var byWords []text.Ranked
	if !p.search.OnlyMeaning {
		rest := slices.Clone(p.searchable)
		rest.Without(full)
		best, others := p.question.Rank(full, rest, depth, text.Order{Bonus: p.bonus, Less: p.isNewer})
		if byWords = others; isQuestion {
			byWords = append(best, others...)
			order.Stably(byWords, func(a, b text.Ranked) int { return cmp.Compare(b.Score, a.Score) })
		} else {
			first = p.found(best, false)
		}
	}
	f := fusion{found: map[int]*Found{}}
	known := p.question.Known()
	weight := 1.0
	if known < leastKnown {
		weight = known
	}
	for rank, r := range byWords {
		f.add(r.Doc, rank, weight, Found{Path: p.s.pathOf(r.Doc), Partial: !full.Has(r.Doc), Best: r.At})
	}
	among := p.searchable
	if first != nil {
		among = slices.Clone(among)
		among.Without(full)
	}
	for rank, hit := range p.search.Meanings.near(v, among, depth, leastWithWords) {
		if hit.Score < leastAlike && f.found[hit.Note] == nil {
			continue
		}
		f.add(hit.Note, rank, meaningWeight, Found{Path: p.s.pathOf(hit.Note), Partial: !full.Has(hit.Note), Best: hit.Start + 1})
	}
	lowest := leaderRank
	if len(byWords) > 0 && known >= leastKnown && (len(byWords) == 1 || byWords[0].Score >= clearLead*byWords[1].Score) {
		lowest = 1
	}
	return append(first, f.best(limit-len(first), lowest)...)
}

// fusion puts rankings of notes together. What a note scores depends on its ranks only, because the scores of words and of
// vectors cannot be compared.
type fusion struct {
	found map[int]*Found
	docs  []int // in the order in which they were added
}

// add counts the rank of a note in one of the rankings. It is shown as the first ranking that has it says.
func (f *fusion) add(doc, rank int, weight float64, found Found) {
	known := f.found[doc]
	if known == nil {
		known = &found
		f.found[doc] = known
		f.docs = append(f.docs, doc)
	}
	known.Score += weight * fusedRank / float64(fusedRank+rank+1)
}

// best returns the best notes. The first one of the first ranking does not fall below the lowest rank.
func (f *fusion) best(limit, lowest int) []Found {
	all := make([]Found, len(f.docs))
	for i, doc := range f.docs {
		all[i] = *f.found[doc]
	}
	if len(all) == 0 {
		return nil
	}
	leader := all[0]
	order.By(all, func(a, b Found) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path)) })
	if at := slices.Index(all, leader); at >= lowest {
		leader.Score = all[lowest-1].Score
		all = slices.Insert(slices.Delete(all, at, at+1), lowest-1, leader)
	}
	return all[:min(limit, len(all))]
}

// wordCount counts words. Of a run without spaces, two characters count as one.
func wordCount(words []string) int {
	count := 0
	for _, word := range words {
		if first, _ := utf8.DecodeRuneInString(word); fold.Kind(first) == fold.CJK {
			count += utf8.RuneCountInString(word) / 2
		} else {
			count++
		}
	}
	return count
}
