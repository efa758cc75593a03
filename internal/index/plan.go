package index

import (
	"bytes"
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

// plan answers a query from the text engine as far as it can, and looks at
// single files where it cannot.
type plan struct {
	s      *Snapshot
	search Search
	x      *text.Index
	asked  string // the whole query, folded, if it is plain words

	searchable text.Set // files that may be found at all
	notes      text.Set // those of them that are notes
	canvases   text.Set
	others     text.Set // whose names alone can be asked for
	hits       map[string]*text.Hits
	titled     text.Set // all words are in the title, maybe of a file that is gone
	nameBuf    []byte
}

// guess is what is known of the files that make a part of a query true: some
// surely do, and no others may than these.
type guess struct{ sure, maybe text.Set }

func newPlan(s *Snapshot, search Search) *plan {
	p := &plan{s: s, search: search, x: s.text, hits: map[string]*text.Hits{}}
	p.notes, p.canvases, p.others = s.kinds()
	if search.Keep != nil {
		p.notes, p.canvases, p.others = p.kept(p.notes), p.kept(p.canvases), p.kept(p.others)
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

// restrict leaves only some of the files to be found.
func (p *plan) restrict(to text.Set) {
	for _, set := range []*text.Set{&p.searchable, &p.notes, &p.canvases, &p.others} {
		*set = slices.Clone(*set)
		set.And(to)
	}
}

func (p *plan) kept(docs text.Set) text.Set {
	kept := p.none()
	for doc := range docs.All() {
		if p.search.Keep(p.s.pathOf(doc)) {
			kept.Add(doc)
		}
	}
	return kept
}

// namesFiles reports a query that asks for names or paths.
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

// matches are the files that match.
func (p *plan) matches(ctx context.Context) (text.Set, error) {
	if p.search.Query.Root == nil {
		return p.union(p.notes, p.canvases), nil
	}
	known := p.eval(p.search.Query.Root, true)
	known.maybe.And(p.searchable)
	known.sure.And(p.notes)
	doubtful := slices.Clone(known.maybe)
	doubtful.Without(known.sure)
	return known.sure, p.look(ctx, slices.Collect(doubtful.All()), known.sure)
}

// look asks the query about single files, on all processors.
func (p *plan) look(ctx context.Context, docs []int, into text.Set) error {
	var next atomic.Int64
	var mu sync.Mutex // guards into
	var wait sync.WaitGroup
	const step = 64
	for range min(runtime.GOMAXPROCS(0), 1+len(docs)/step) {
		wait.Go(func() {
			for stopped(ctx, p.search.Query) == nil {
				at := int(next.Add(step)) - step
				if at >= len(docs) {
					return
				}
				var found []int
				for _, doc := range docs[at:min(at+step, len(docs))] {
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

// eval guesses which files make a part of the query true. Names count at the
// top alone.
func (p *plan) eval(node search.Node, names bool) guess {
	switch n := node.(type) {
	case *search.And:
		all := p.eval(n.Nodes[0], names)
		for _, one := range n.Nodes[1:] {
			part := p.eval(one, names)
			all.sure.And(part.sure)
			all.maybe.And(part.maybe)
		}
		return all
	case *search.Or:
		some := p.eval(n.Nodes[0], names)
		for _, one := range n.Nodes[1:] {
			part := p.eval(one, names)
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
		return p.literal(n.Text, n.Case, false, n.In, names)
	case *search.Phrase:
		return p.literal(n.Text, n.Case, true, n.In, names)
	case *search.Regex:
		return p.pattern(n, names)
	case *search.Scope:
		return p.scope(n)
	case *search.Tag:
		return p.tag(n.Name)
	case *search.Property:
		return guess{p.none(), p.having(n.Name)}
	}
	return guess{p.none(), slices.Clone(p.searchable)}
}

// literal guesses for a word or a phrase. Of notes the engine knows all.
func (p *plan) literal(what string, matchCase, bounded bool, in func([]byte) bool, names bool) guess {
	if what == "" {
		return guess{slices.Clone(p.notes), slices.Clone(p.searchable)}
	}
	hits := p.find(what, matchCase, bounded, in)
	sure := slices.Clone(hits.Docs)
	if names {
		p.addNamed(text.Literal{Text: what, Exact: matchCase, Bounded: bounded, In: in}, sure)
	} else if !bounded && !matchCase {
		sure = p.x.Find(text.Literal{Text: what, In: in}, text.Body).Docs
	}
	maybe := p.union(sure, p.canvases)
	maybe.Or(p.others)
	sure.And(p.notes)
	return guess{sure, maybe}
}

// find asks the engine once for each literal.
func (p *plan) find(what string, matchCase, bounded bool, in func([]byte) bool) *text.Hits {
	key := what
	if matchCase {
		key += "\x00case"
	}
	if bounded {
		key += "\x00bounded"
	}
	if hits, ok := p.hits[key]; ok {
		return hits
	}
	hits := p.x.Find(text.Literal{Text: what, Exact: matchCase, Bounded: bounded, In: in}, text.Title|text.Body)
	p.hits[key] = hits
	return hits
}

// word is find for a plain word.
func (p *plan) word(what string) *text.Hits {
	if hits, ok := p.hits[what]; ok {
		return hits
	}
	return p.x.Find(text.Literal{Text: what, In: func([]byte) bool { return false }}, text.Title|text.Body)
}

// hitsOf are the hits of a term, if the engine was asked for it.
func (p *plan) hitsOf(term search.Term) *text.Hits {
	key := term.Text
	if term.Kind == search.RegexTerm {
		return nil
	}
	if term.Case {
		key += "\x00case"
	}
	if term.Kind == search.PhraseTerm {
		key += "\x00bounded"
	}
	return p.hits[key]
}

// addNamed adds the notes whose names have a literal that the engine does not
// know from the words of titles alone.
func (p *plan) addNamed(literal text.Literal, to text.Set) {
	for doc := range p.x.Titled(literal).All() {
		if !to.Has(doc) && p.notes.Has(doc) && literal.In([]byte(p.s.pathOf(doc).Name())) {
			to.Add(doc)
		}
	}
}

// pattern guesses for a regular expression: it may match where the literals
// are that it needs, or in a name.
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

// scope guesses for an operator. A part of a text has what it asks for only
// if the text has.
func (p *plan) scope(n *search.Scope) guess {
	switch n.Op {
	case search.InFile, search.InPath:
		return guess{p.none(), slices.Clone(p.searchable)}
	case search.InContent:
		return p.eval(n.Node, false)
	}
	return guess{p.none(), p.possible(n.Node)}
}

// possible are the files of which some part may make a node true.
func (p *plan) possible(node search.Node) text.Set {
	switch n := node.(type) {
	case *search.And:
		all := p.possible(n.Nodes[0])
		for _, one := range n.Nodes[1:] {
			all.And(p.possible(one))
		}
		return all
	case *search.Or:
		some := p.possible(n.Nodes[0])
		for _, one := range n.Nodes[1:] {
			some.Or(p.possible(one))
		}
		return some
	case *search.Word, *search.Phrase, *search.Regex, *search.Tag:
		return p.eval(n, false).maybe
	case *search.Scope:
		if n.Op != search.InFile && n.Op != search.InPath {
			return p.possible(n.Node)
		}
	}
	return slices.Clone(p.searchable)
}

// tag knows the notes with a tag or one below it.
func (p *plan) tag(name string) guess {
	sure := p.none()
	for _, path := range p.s.Tagged(name, true) {
		if doc := p.s.docOf(path); doc >= 0 {
			sure.Add(doc)
		}
	}
	return guess{sure, p.union(sure, p.canvases)}
}

// having are the files that may have a property: its name stands in them, or
// their frontmatter has an escape that may stand for it.
func (p *plan) having(name string) text.Set {
	found := p.x.Candidates(regex.Need{Kind: regex.NeedLiteral, Literal: name, Fold: true})
	found.And(p.notes)
	for doc := range p.notes.All() {
		if !found.Has(doc) {
			p.x.Text(doc, func(data []byte, _ bool) {
				if bytes.IndexByte(data[:bodyStart(data)], '\\') >= 0 {
					found.Add(doc)
				}
			})
		}
	}
	return found
}
