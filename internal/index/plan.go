package index

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"obsidian-mcp/internal/index/text"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/regex"
)

// plan answers a query from the text engine as far as that can tell, and reads single files where it cannot.
type plan struct {
	s      *Snapshot
	search Search
	x      *text.Index
	asked  string // the whole query, folded, if it is plain words

	searchable text.Set       // files that may be found at all
	notes      text.Set       // the notes among them
	canvases   text.Set       // the canvases among them
	others     text.Set       // other files, which are found by name only
	question   *text.Question // if it is plain words
	hits       map[string]*text.Hits
	nameBuf    []byte
}

// guess is what the text engine can tell about a part of a query: the files that are sure to match it, and all
// files that may match it, which include the sure ones.
type guess struct{ sure, maybe text.Set }

func newPlan(s *Snapshot, search Search) *plan {
	p := &plan{s: s, search: search, x: s.text, hits: map[string]*text.Hits{}}
	p.notes, p.canvases, p.others = s.kinds()
	if search.Keep != nil {
		p.notes, p.canvases, p.others = p.filter(p.notes), p.filter(p.canvases), p.filter(p.others)
	}
	p.searchable = p.union(p.notes, p.canvases)
	if namesFiles(search.Query.Root) {
		p.searchable.Or(p.others)
	} else {
		p.others = p.none()
	}
	if words, plain := search.Query.Plain(); plain {
		p.asked = fold.String(strings.Join(words, " "))
	}
	return p
}

// restrict limits the search to a set of files.
func (p *plan) restrict(to text.Set) {
	for _, set := range []*text.Set{&p.searchable, &p.notes, &p.canvases, &p.others} {
		*set = slices.Clone(*set)
		set.And(to)
	}
}

// filter returns the files of a set that the caller wants to search.
func (p *plan) filter(docs text.Set) text.Set {
	filtered := p.none()
	for doc := range docs.All() {
		if p.search.Keep(p.s.pathOf(doc)) {
			filtered.Add(doc)
		}
	}
	return filtered
}

// namesFiles reports whether a query asks for names or paths of files.
func namesFiles(node search.Node) bool {
	switch n := node.(type) {
	case *search.And:
		return slices.ContainsFunc(n.Nodes, namesFiles)
	case *search.Or:
		return slices.ContainsFunc(n.Nodes, namesFiles)
	case *search.Scope:
		return n.Op == search.InFile || n.Op == search.InPath
	}
	return false
}

func (p *plan) none() text.Set { return text.NewSet(p.x.Docs()) }

func (p *plan) union(a, b text.Set) text.Set {
	both := slices.Clone(a)
	both.Or(b)
	return both
}

// matches returns the files that match.
func (p *plan) matches(ctx context.Context) (text.Set, error) {
	if p.search.Query.Root == nil {
		return p.union(p.notes, p.canvases), nil
	}
	guessed := p.guess()
	guessed.maybe.And(p.searchable)
	guessed.sure.And(p.notes)
	doubtful := slices.Clone(guessed.maybe)
	doubtful.Without(guessed.sure)
	return guessed.sure, p.check(ctx, slices.Collect(doubtful.All()), guessed.sure)
}

// guess guesses which files match the query.
func (p *plan) guess() guess {
	words, plain := p.search.Query.Plain()
	if !plain {
		return p.eval(p.search.Query.Root, true)
	}
	p.question = p.x.Ask(words)
	var literals []text.Literal
	for _, word := range p.search.Query.Words() {
		literals = append(literals, text.Literal{Text: word.Text, Exact: word.Case, In: word.In})
	}
	left, exact := p.question.All(literals, p.notes, func(doc int, literal text.Literal) bool {
		return literal.In([]byte(p.s.pathOf(doc).Name()))
	})
	guessed := guess{p.none(), p.union(left, p.canvases)}
	guessed.maybe.Or(p.others)
	if exact {
		guessed.sure = left
	}
	return guessed
}

// check reads single files, on all processors, and adds those that match the query to a set.
func (p *plan) check(ctx context.Context, docs []int, into text.Set) error {
	var next atomic.Int64
	var mu sync.Mutex // guards into
	var wait sync.WaitGroup
	const batch = 64
	for range min(runtime.GOMAXPROCS(0), 1+len(docs)/batch) {
		wait.Go(func() {
			for stopped(ctx, p.search.Query) == nil {
				start := int(next.Add(batch)) - batch
				if start >= len(docs) {
					return
				}
				var found []int
				for _, doc := range docs[start:min(start+batch, len(docs))] {
					if ctx.Err() == nil && p.s.match(p.search.Query, doc) {
						found = append(found, doc)
					}
				}
				mu.Lock()
				for _, doc := range found {
					into.Add(doc)
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	return stopped(ctx, p.search.Query)
}

// eval guesses which files match a part of the query. With names, a match in the name of a file counts too; that is
// so outside of operators.
func (p *plan) eval(node search.Node, names bool) guess {
	switch n := node.(type) {
	case *search.And:
		all := p.eval(n.Nodes[0], names)
		for _, child := range n.Nodes[1:] {
			part := p.eval(child, names)
			all.sure.And(part.sure)
			all.maybe.And(part.maybe)
		}
		return all
	case *search.Or:
		some := p.eval(n.Nodes[0], names)
		for _, child := range n.Nodes[1:] {
			part := p.eval(child, names)
			some.sure.Or(part.sure)
			some.maybe.Or(part.maybe)
		}
		return some
	case *search.Not:
		part := p.eval(n.Node, names)
		not := guess{sure: slices.Clone(p.notes), maybe: slices.Clone(p.searchable)}
		not.sure.Without(part.maybe)
		not.maybe.Without(part.sure)
		return not
	case *search.Word:
		return p.literal(text.Literal{Text: n.Text, Exact: n.Case, In: n.In}, names)
	case *search.Phrase:
		return p.literal(text.Literal{Text: n.Text, Exact: n.Case, Bounded: true, In: n.In}, names)
	case *search.Regex:
		return p.pattern(n, names)
	case *search.Scope:
		return p.scope(n)
	case *search.Tag:
		return p.tag(n.Name)
	case *search.Property:
		return guess{p.none(), p.mayHaveProperty(n.Name)}
	}
	return guess{p.none(), slices.Clone(p.searchable)}
}

// literal guesses for a word or a phrase. For notes the engine's answer is exact.
func (p *plan) literal(literal text.Literal, names bool) guess {
	if literal.Text == "" {
		return guess{slices.Clone(p.notes), slices.Clone(p.searchable)}
	}
	sure := slices.Clone(p.find(literal).Docs)
	if names {
		p.addNamed(literal, sure)
	} else if !literal.Bounded && !literal.Exact {
		sure = p.x.Find(literal, text.Body).Docs
	}
	maybe := p.union(sure, p.canvases)
	maybe.Or(p.others)
	sure.And(p.notes)
	return guess{sure, maybe}
}

// hitsKey is the key of a literal's hits in plan.hits.
func hitsKey(text string, matchCase, bounded bool) string {
	if matchCase {
		text += "\x00case"
	}
	if bounded {
		text += "\x00bounded"
	}
	return text
}

// find asks the engine for a literal, once.
func (p *plan) find(literal text.Literal) *text.Hits {
	key := hitsKey(literal.Text, literal.Exact, literal.Bounded)
	if hits, ok := p.hits[key]; ok {
		return hits
	}
	hits := p.x.Find(literal, text.Title|text.Body)
	p.hits[key] = hits
	return hits
}

// hitsOf returns the hits of a term, or nil if the engine was not asked for it.
func (p *plan) hitsOf(term search.Term) *text.Hits {
	if term.Kind == search.RegexTerm {
		return nil
	}
	return p.hits[hitsKey(term.Text, term.Case, term.Kind == search.PhraseTerm)]
}

// addNamed adds the notes whose name contains a literal. The engine finds only those that have it in a word of the
// title.
func (p *plan) addNamed(literal text.Literal, to text.Set) {
	for doc := range p.x.Titled(literal).All() {
		if !to.Has(doc) && p.notes.Has(doc) && literal.In([]byte(p.s.pathOf(doc).Name())) {
			to.Add(doc)
		}
	}
}

// pattern guesses for a regular expression: it may match files that contain the literals it needs, or a file's
// name.
func (p *plan) pattern(n *search.Regex, names bool) guess {
	maybe := p.x.Candidates(n.Pattern.Needs())
	maybe.Or(p.canvases)
	maybe.Or(p.others)
	if names {
		matcher := n.Pattern.Matcher()
		defer matcher.Release()
		for doc := range p.notes.All() {
			if !maybe.Has(doc) && matcher.Match([]byte(p.s.pathOf(doc).Name())) {
				maybe.Add(doc)
			}
		}
	}
	return guess{p.none(), maybe}
}

// scope guesses for an operator, which asks about a part of a text such as a line. The part can match only if the
// whole text may match.
func (p *plan) scope(n *search.Scope) guess {
	switch n.Op {
	case search.InFile, search.InPath:
		return guess{p.none(), slices.Clone(p.searchable)}
	case search.InContent:
		return p.eval(n.Node, false)
	}
	return guess{p.none(), p.partMayMatch(n.Node)}
}

// partMayMatch returns the files that may have a part that matches a node.
func (p *plan) partMayMatch(node search.Node) text.Set {
	switch n := node.(type) {
	case *search.And:
		all := p.partMayMatch(n.Nodes[0])
		for _, child := range n.Nodes[1:] {
			all.And(p.partMayMatch(child))
		}
		return all
	case *search.Or:
		some := p.partMayMatch(n.Nodes[0])
		for _, child := range n.Nodes[1:] {
			some.Or(p.partMayMatch(child))
		}
		return some
	case *search.Word, *search.Phrase, *search.Regex, *search.Tag:
		return p.eval(n, false).maybe
	case *search.Scope:
		if n.Op != search.InFile && n.Op != search.InPath {
			return p.partMayMatch(n.Node)
		}
	}
	return slices.Clone(p.searchable)
}

// tag guesses for a tag, which includes nested tags. For notes the index's answer is exact.
func (p *plan) tag(name string) guess {
	sure := p.none()
	for _, path := range p.s.Tagged(name, true) {
		if doc := p.s.docOf(path); doc >= 0 {
			sure.Add(doc)
		}
	}
	return guess{sure, p.union(sure, p.canvases)}
}

// mayHaveProperty returns the files that may have a property: those that contain its name, or whose frontmatter has
// an escape that may spell it.
func (p *plan) mayHaveProperty(name string) text.Set {
	found := p.x.Candidates(regex.Need{Kind: regex.NeedLiteral, Literal: name, Fold: true})
	found.And(p.notes)
	for doc := range p.notes.All() {
		if !found.Has(doc) && p.s.frontHas(doc, '\\') {
			found.Add(doc)
		}
	}
	return found
}
