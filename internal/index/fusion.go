package index

import (
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/meaning"
	"obsidian-mcp/internal/text/order"
)

const (
	// fusedDepth is the least depth.
	fusedDepth = 50
	// fusedRank is how little the first ranks count above the later ones.
	fusedRank = 10
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

// needsMeaning reports whether to look for words by what they mean too. The notes that have all words of a short query come
// first, so they may be enough.
func (p *plan) needsMeaning(words []string, full text.Set) bool {
	if p.search.Meanings == nil || p.search.Sort != ByRelevance {
		return false
	}
	isEnough := full.Len() >= p.search.Limit || len(words) == 1 && full.Len() > 0
	return p.search.OnlyMeaning || isQuestion(words) || !isEnough
}

// isQuestion reports whether the best notes answer words, whether or not they have every one of them.
func isQuestion(words []string) bool { return wordCount(words) > fewWords }

// answersByMeaning returns the notes that answer a question by words and by meaning. If the model cannot be asked, it returns those
// that answer by words, and the reason.
func (p *plan) answersByMeaning(ctx context.Context, words []string, full text.Set) ([]Found, error) {
	v, err := p.search.Meanings.Question(ctx, words)
	switch {
	case v != nil && !p.search.OnlyMeaning:
		return p.fused(words, v, full), nil
	case v != nil:
		f := fusion{found: map[int]*Found{}}
		p.addByMeaning(&f, v, p.searchable, full)
		return f.best(p.search.Limit, leaderRank), nil
	case p.search.OnlyMeaning:
		return nil, err
	}
	return p.answers(words, full), err
}

// fused ranks notes by words and by meaning together. The notes that have all words of a short query come first, by words.
func (p *plan) fused(words []string, v meaning.Vector, full text.Set) []Found {
	rest := slices.Clone(p.searchable)
	rest.Without(full)
	best, others := p.question.Rank(full, rest, p.depth(), text.Order{Bonus: p.bonus, Less: p.isNewer})
	var first []Found
	among, byWords := rest, others
	if isQuestion(words) {
		among, byWords = p.searchable, append(best, others...)
		order.Stably(byWords, func(a, b text.Ranked) int { return cmp.Compare(b.Score, a.Score) })
	} else {
		first = p.found(best, false)
	}
	known := p.question.Known()
	areKnown := known >= leastKnown
	weight := 1.0
	if !areKnown {
		weight = known
	}
	f := fusion{found: map[int]*Found{}}
	for rank, r := range byWords {
		f.add(r.Doc, rank, weight, Found{Path: p.s.pathOf(r.Doc), Partial: !full.Has(r.Doc), Best: r.At})
	}
	p.addByMeaning(&f, v, among, full)
	lowest := leaderRank
	if len(byWords) > 0 && areKnown && (len(byWords) == 1 || byWords[0].Score >= clearLead*byWords[1].Score) {
		lowest = 1
	}
	return append(first, f.best(p.search.Limit-len(first), lowest)...)
}

// addByMeaning adds the notes of a set that are closest to a question.
func (p *plan) addByMeaning(f *fusion, v meaning.Vector, among, full text.Set) {
	traits := p.search.Meanings.store.Model.Traits()
	for rank, hit := range p.search.Meanings.near(v, among, p.depth(), traits.WithWords) {
		if hit.Score < traits.Alike && f.found[hit.Note] == nil {
			continue
		}
		f.add(hit.Note, rank, traits.Weight, Found{Path: p.s.pathOf(hit.Note), Partial: !full.Has(hit.Note), Best: hit.Start + 1})
	}
}

// depth is how many notes by words, and how many by meaning, are put together.
func (p *plan) depth() int { return max(fusedDepth, p.search.Limit) }

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
