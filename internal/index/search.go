package index

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/order"
)

// Search says what to look for and how to show it.
type Search struct {
	Query  *search.Query
	Filter *search.Query         // every result must match this too, but it does not affect ranking; nil: no filter
	Keep   func(vpath.Path) bool // selects the files to search; nil: all
	Sort   Sort
	Limit  int

	Meanings    *Meanings // the vectors of the notes: plain words are looked for by what they mean too; nil: only as words
	OnlyMeaning bool      // do not look for the words themselves
}

// Sort is the order of results.
type Sort uint8

const (
	ByRelevance Sort = iota
	ByModified
	ByCreated
	ByTitle
)

// Found is a file that was found.
type Found struct {
	Path    vpath.Path
	Score   float64
	Partial bool // it has only some of the words, or only similar ones
	Best    int  // where the passage begins that fits best, plus one; 0: unknown
}

// Results are the best matches and the number of all matches.
type Results struct {
	Found    []Found
	Total    int   // full matches
	ModelErr error // why the words were not looked for by what they mean, although they should have been; nil: they were
}

// Search finds the files that match a query, as Obsidian would. If the query is plain words and there are fewer
// matches than the limit, files that have only some of the words follow.
func (s *Snapshot) Search(ctx context.Context, search Search) (Results, error) {
	p := newPlan(s, search)
	if search.Filter != nil {
		filtered, err := newPlan(s, Search{Query: search.Filter, Keep: search.Keep}).matches(ctx)
		if err != nil {
			return Results{}, err
		}
		p.restrict(filtered)
	}
	full, err := p.matches(ctx)
	if err != nil {
		return Results{}, err
	}
	results := Results{Total: full.Len()}
	if search.Limit <= 0 {
		return results, nil
	}
	words, plain := search.Query.Plain()
	switch {
	case !plain:
		results.Found = p.ranked(full, search.Limit)
	case p.needsMeaning(words, full):
		results.Found, results.ModelErr = p.answersByMeaning(ctx, words, full)
	case !search.OnlyMeaning:
		results.Found = p.answers(words, full)
	}
	return results, nil
}

// Word is a word of a question, and Hit a place where a file has one.
type (
	Word = text.Word
	Hit  = text.Hit
)

// Hits finds the words of a question in some files, in the order of their texts. Files whose texts the index does not have
// have none.
func (s *Snapshot) Hits(question []string, paths []vpath.Path) (words []Word, hits [][]Hit) {
	var docs, places []int
	for i, path := range paths {
		if doc := s.docOf(path); doc >= 0 {
			docs, places = append(docs, doc), append(places, i)
		}
	}
	words, found := s.text.Ask(question).Hits(docs)
	hits = make([][]Hit, len(paths))
	for i, place := range places {
		hits[place] = found[i]
	}
	return words, hits
}

// answers returns the files that have all words of a question in the requested order, then those that have some.
func (p *plan) answers(words []string, full text.Set) []Found {
	limit, total := p.search.Limit, full.Len()
	var rest text.Set
	if total < limit && (len(words) > 1 || total == 0) {
		rest = slices.Clone(p.searchable)
		rest.Without(full)
	}
	if p.search.Sort != ByRelevance {
		limit = max(limit, total)
	}
	best, others := p.question.Rank(full, rest, limit, text.Order{
		Bonus: p.bonus,
		Less:  p.isNewer,
	})
	found := p.found(best, false)
	found = found[:min(p.search.Limit, len(found))]
	return append(found, p.found(others[:min(p.search.Limit-len(found), len(others))], true)...)
}

// isNewer orders documents that are equally relevant: the newest comes first.
func (p *plan) isNewer(a, b int) bool {
	if order := p.s.modified(a).Compare(p.s.modified(b)); order != 0 {
		return order > 0
	}
	return p.s.pathOf(a) < p.s.pathOf(b)
}

// modified returns when the file of a document was last changed.
func (s *Snapshot) modified(doc int) time.Time {
	if doc < len(s.base.paths) {
		return s.base.time(int32(doc), modifiedAt)
	}
	return s.Modified(s.pathOf(doc))
}

// found lists ranked documents in the requested order.
func (p *plan) found(ranked []text.Ranked, partial bool) []Found {
	list := make([]Found, len(ranked))
	for i, r := range ranked {
		list[i] = Found{Path: p.s.pathOf(r.Doc), Score: float64(r.Score), Partial: partial, Best: r.At}
	}
	if p.search.Sort != ByRelevance { // else they are in order
		p.sort(list)
	}
	return list
}

// ranked returns the first matches in the requested order.
func (p *plan) ranked(full text.Set, limit int) []Found {
	scores := p.scores()
	if p.search.Sort == ByRelevance && scores != nil {
		return p.best(full, scores, limit)
	}
	all := make([]Found, 0, full.Len())
	for doc := range full.All() {
		found := Found{Path: p.s.pathOf(doc)}
		if scores != nil {
			found.Score = float64(scores[doc])
		}
		all = append(all, found)
	}
	p.sort(all)
	return all[:min(limit, len(all))]
}

// scores returns the relevance of every document, or nil if the query asks for no text.
func (p *plan) scores() []float32 {
	terms := p.search.Query.Terms()
	if len(terms) == 0 {
		return nil
	}
	scores := make([]float32, p.s.text.Docs())
	for _, term := range terms {
		if hits := p.hitsOf(term); hits != nil {
			hits.Score(p.s.text, scores)
		}
	}
	return scores
}

// best returns the documents of a set with the highest scores.
func (p *plan) best(among text.Set, scores []float32, limit int) []Found {
	top := make([]Found, 0, limit+1)
	least := float32(-1)
	for doc := range among.All() {
		score := scores[doc]
		if len(top) == limit && score < least {
			continue
		}
		found := Found{Path: p.s.pathOf(doc), Score: float64(score)}
		at, _ := slices.BinarySearchFunc(top, found, compareFound)
		if at == limit {
			continue
		}
		if top = slices.Insert(top, at, found); len(top) > limit {
			top = top[:limit]
		}
		least = float32(top[len(top)-1].Score)
	}
	return top
}

// nameBonus is what a note scores for a name that equals the query.
const nameBonus = 12

// bonus is what a document scores for a name that equals the query or contains it.
func (p *plan) bonus(doc int) float32 {
	p.nameBuf = fold.Append(p.nameBuf[:0], []byte(p.s.pathOf(doc).Name()))
	switch name := string(p.nameBuf); {
	case name == p.asked:
		return nameBonus
	case strings.Contains(name, p.asked):
		return nameBonus / 3 * float32(len(p.asked)) / float32(len(name))
	}
	return 0
}

func compareFound(a, b Found) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path))
}

// sort puts files into the requested order. Of equally relevant files the newest comes first.
func (p *plan) sort(all []Found) {
	when := map[vpath.Path]int64{}
	for _, found := range all {
		switch p.search.Sort {
		case ByCreated:
			when[found.Path] = p.s.created(found.Path)
		case ByModified, ByRelevance:
			when[found.Path] = p.s.Modified(found.Path).UnixNano()
		}
	}
	order.By(all, func(a, b Found) int {
		switch p.search.Sort {
		case ByTitle:
			byTitle := cmp.Compare(vpath.FoldKey(a.Path.Name()), vpath.FoldKey(b.Path.Name()))
			return cmp.Or(byTitle, cmp.Compare(a.Path, b.Path))
		case ByRelevance:
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(when[b.Path], when[a.Path]), cmp.Compare(a.Path, b.Path))
		}
		return cmp.Or(cmp.Compare(when[b.Path], when[a.Path]), cmp.Compare(a.Path, b.Path))
	})
}

// Modified returns when a file was last changed.
func (s *Snapshot) Modified(path vpath.Path) time.Time {
	if entry, newer := s.entries.over.get(path); newer && entry != nil {
		return entry.Modified
	}
	if doc, ok := s.base.docOf(path); ok {
		return s.base.time(doc, modifiedAt)
	}
	return time.Time{}
}

// created returns when a file was created or, if that is unknown, last changed.
func (s *Snapshot) created(path vpath.Path) int64 {
	when := time.Time{}
	if entry, newer := s.entries.over.get(path); newer && entry != nil {
		when = entry.Created
	} else if doc, ok := s.base.docOf(path); ok {
		when = s.base.time(doc, createdAt)
	}
	if when.IsZero() {
		when = s.Modified(path)
	}
	return when.UnixNano()
}

// Weight is how much a word distinguishes notes of this vault: rare words weigh more.
func (s *Snapshot) Weight(word string) float64 { return s.text.Rarity(word) }
