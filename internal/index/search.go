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
)

// Search says what to look for and how to show it.
type Search struct {
	Query  *search.Query
	Filter *search.Query         // what every file that is found must match, too; nil: nothing
	Keep   func(vpath.Path) bool // which files may be found at all; nil: any
	Sort   Sort
	Limit  int
}

// Sort is an order of results.
type Sort uint8

// The orders.
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
	Partial bool // it has only some of the words, or nearly them
}

// Results are the best matches and how many there are in all.
type Results struct {
	Found []Found
	Total int // full matches
}

// Search finds the files that a query means. What is found is what Obsidian
// would find; plain words that few files have all of are answered with files
// that have some of them, too, after the others.
func (s *Snapshot) Search(ctx context.Context, search Search) (Results, error) {
	p := newPlan(s, search)
	if search.Filter != nil {
		kept, err := newPlan(s, Search{Query: search.Filter, Keep: search.Keep}).matches(ctx)
		if err != nil {
			return Results{}, err
		}
		p.restrict(kept)
	}
	full, err := p.matches(ctx)
	if err != nil {
		return Results{}, err
	}
	results := Results{Total: full.Len()}
	if search.Limit <= 0 {
		return results, nil
	}
	results.Found = p.ranked(full, search.Limit)
	words, plain := search.Query.Plain()
	if plain && len(results.Found) < search.Limit && (len(words) > 1 || results.Total == 0) {
		partial := p.partial(words, full, search.Limit-len(results.Found))
		p.arrange(partial)
		results.Found = append(results.Found, partial...)
	}
	return results, nil
}

// ranked gives the first of the matches, in the order that is asked for.
func (p *plan) ranked(full text.Set, limit int) []Found {
	scores := p.scores()
	if p.search.Sort == ByRelevance && scores != nil {
		return p.best(full, scores, limit, false)
	}
	all := make([]Found, 0, full.Len())
	for doc := range full.All() {
		one := Found{Path: p.s.pathOf(doc)}
		if scores != nil {
			one.Score = float64(scores[doc])
		}
		all = append(all, one)
	}
	p.arrange(all)
	return all[:min(limit, len(all))]
}

// scores are what the documents are worth by what the query asks for; nil
// where that is no text.
func (p *plan) scores() []float32 {
	terms := p.search.Query.Terms()
	if len(terms) == 0 {
		return nil
	}
	scores := make([]float32, p.s.text.Docs())
	for i, term := range terms {
		hits := p.hitsOf(term)
		if hits == nil {
			continue
		}
		hits.Score(p.s.text, scores)
		if i == 0 {
			p.titled = slices.Clone(hits.Titles)
		} else {
			p.titled.And(hits.Titles)
		}
	}
	if p.asked != "" {
		for doc := range p.titled.All() {
			scores[doc] += p.bonus(doc)
		}
	}
	return scores
}

// best gives the documents of a set with the highest scores.
func (p *plan) best(among text.Set, scores []float32, limit int, partial bool) []Found {
	top := make([]Found, 0, limit+1)
	least := float32(-1)
	for doc := range among.All() {
		score := scores[doc]
		if len(top) == limit && score < least {
			continue
		}
		one := Found{Path: p.s.pathOf(doc), Score: float64(score), Partial: partial}
		at, _ := slices.BinarySearchFunc(top, one, compareFound)
		if at == limit {
			continue
		}
		if top = slices.Insert(top, at, one); len(top) > limit {
			top = top[:limit]
		}
		least = float32(top[len(top)-1].Score)
	}
	return top
}

// nameBonus is what a note is worth that is called just what was asked for.
const nameBonus = 12

// bonus prefers a note that is called just what was asked for, or nearly so.
func (p *plan) bonus(doc int) float32 {
	p.nameBuf = fold.Append(p.nameBuf[:0], []byte(p.s.pathOf(doc).Name()))
	switch name := string(p.nameBuf); {
	case name == p.asked:
		return nameBonus
	case strings.HasPrefix(name, p.asked):
		return nameBonus / 3 * float32(len(p.asked)) / float32(len(name))
	}
	return 0
}

func compareFound(a, b Found) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path))
}

// arrange sorts files by what is known of them: by title, or the newest first;
// by relevance if there is one.
func (p *plan) arrange(all []Found) {
	when := map[vpath.Path]int64{}
	for _, one := range all {
		switch p.search.Sort {
		case ByCreated:
			when[one.Path] = p.s.created(one.Path)
		case ByModified, ByRelevance:
			when[one.Path] = p.s.Modified(one.Path).UnixNano()
		}
	}
	slices.SortFunc(all, func(a, b Found) int {
		switch p.search.Sort {
		case ByTitle:
			return cmp.Or(cmp.Compare(vpath.FoldKey(a.Path.Name()), vpath.FoldKey(b.Path.Name())), cmp.Compare(a.Path, b.Path))
		case ByRelevance:
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(when[b.Path], when[a.Path]), cmp.Compare(a.Path, b.Path))
		}
		return cmp.Or(cmp.Compare(when[b.Path], when[a.Path]), cmp.Compare(a.Path, b.Path))
	})
}

// Modified is when a file was changed last.
func (s *Snapshot) Modified(path vpath.Path) time.Time {
	if entry, newer := s.entries.over[path]; newer && entry != nil {
		return entry.Modified
	}
	if doc, ok := s.base.byPath[path]; ok {
		return s.base.time(doc, modifiedAt)
	}
	return time.Time{}
}

// created is when a file was made, or was changed where that is not known.
func (s *Snapshot) created(path vpath.Path) int64 {
	when := time.Time{}
	if entry, newer := s.entries.over[path]; newer && entry != nil {
		when = entry.Created
	} else if doc, ok := s.base.byPath[path]; ok {
		when = s.base.time(doc, createdAt)
	}
	if when.IsZero() {
		when = s.Modified(path)
	}
	return when.UnixNano()
}

// partial gives files with some of the words, or with words like them.
func (p *plan) partial(words []string, full text.Set, limit int) []Found {
	x := p.s.text
	scores := make([]float32, x.Docs())
	counts := make([]uint8, x.Docs())
	some := text.NewSet(x.Docs())
	for _, word := range words {
		hits := p.word(word)
		if hits.Len() == 0 { // a typing error, perhaps
			if similar := x.Similar(word); similar.Len() > 0 {
				similar.Score(x, scores)
				p.tally(similar, some, counts)
			}
		}
		hits.Score(x, scores)
		p.tally(hits, some, counts)
	}
	some.And(p.searchable)
	some.Without(full)
	for doc := range some.All() {
		share := float32(min(int(counts[doc]), len(words))) / float32(len(words))
		scores[doc] *= share * share
	}
	return p.best(some, scores, limit, true)
}

func (p *plan) tally(hits *text.Hits, some text.Set, counts []uint8) {
	some.Or(hits.Docs)
	for doc := range hits.Docs.All() {
		counts[doc]++
	}
}

// Weight is how much a word tells in this vault.
func (s *Snapshot) Weight(word string) float64 { return s.text.Rarity(word) }
