package search

import (
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/md/front"
	"obsidian-mcp/internal/text/regex"
)

// Match reports whether a file matches.
func (q *Query) Match(f *File) bool {
	m := q.matcher()
	defer q.matchers.Put(m)
	return m.match(f)
}

func (q *Query) matcher() *matcher {
	if m, ok := q.matchers.Get().(*matcher); ok {
		return m
	}
	return &matcher{query: q, regexes: make([]*regex.Matcher, len(q.regexes))}
}

// matcher is the memory of one goroutine that asks about files one after the
// other. Everything about a file is found out when it is first asked for.
type matcher struct {
	query   *Query
	regexes []*regex.Matcher
	scanner md.Scanner
	file    *File

	body  place // the text; of a canvas, that of its cards
	cards []md.Span
	name  place
	base  place
	path  place
	known known

	note      *md.Note
	structure structure
	lines     []md.Span
	tags      []string // nil unless known
	fields    []front.Field
	units     []*place // one for each unit that is inside another
	nested    int
	value     place // of a property
}

// known says what has been found out about the file.
type known struct{ name, base, path, note, structure, lines, tags, fields bool }

func (m *matcher) open(f *File) {
	m.file, m.cards, m.nested = f, nil, 0
	m.known = known{}
	text := f.Text
	if f.Canvas {
		text, m.cards = canvasText(f.Text)
	}
	m.body.set(text, 0)
}

// close lets go of what belongs to the caller.
func (m *matcher) close() {
	m.file, m.note, m.tags, m.fields = nil, nil, nil, nil
	m.body.set(nil, 0)
}

func (m *matcher) match(f *File) bool {
	m.open(f)
	defer m.close()
	root := m.query.Root
	switch {
	case !f.Note && !f.Canvas:
		return m.query.byName && m.matchName(root)
	case root == nil:
		return true
	}
	return m.eval(root, m.top())
}

// matchName is for files that are searched by name alone: a file: or path:
// must be what makes the query true.
func (m *matcher) matchName(node Node) bool {
	switch n := node.(type) {
	case *And:
		return anyNode(n.Nodes, m.matchName) && m.eval(n, m.top())
	case *Or:
		return anyNode(n.Nodes, m.matchName)
	case *Scope:
		return (n.Op == InFile || n.Op == InPath) && m.eval(n, m.top())
	}
	return false
}

// where is where a text is looked for.
type where struct {
	place *place
	name  bool // and in the file's name
	unit  bool // a part of the text
}

func (m *matcher) top() where { return where{place: &m.body, name: true} }

func (m *matcher) eval(node Node, in where) bool {
	switch n := node.(type) {
	case *And:
		for _, one := range n.Nodes {
			if !m.eval(one, in) {
				return false
			}
		}
		return true
	case *Or:
		for _, one := range n.Nodes {
			if m.eval(one, in) {
				return true
			}
		}
		return false
	case *Not:
		return !m.eval(n.Node, in)
	case *Word, *Phrase, *Regex:
		return m.hasText(n, in.place) || in.name && m.hasText(n, m.namePlace())
	case *Scope:
		return m.evalScope(n, in)
	case *Tag:
		return m.hasTag(n, in)
	case *Property:
		return m.hasProperty(n)
	}
	return false
}

// hasText looks for a word, a phrase or a regular expression.
func (m *matcher) hasText(node Node, in *place) bool {
	switch n := node.(type) {
	case *Word:
		return in.hasWord(n)
	case *Phrase:
		return in.hasPhrase(n)
	case *Regex:
		return m.regex(n).Match(in.text)
	}
	return false
}

func (m *matcher) regex(n *Regex) *regex.Matcher {
	if m.regexes[n.number] == nil {
		m.regexes[n.number] = n.Pattern.Matcher()
	}
	return m.regexes[n.number]
}

func (m *matcher) evalScope(n *Scope, in where) bool {
	switch n.Op {
	case InFile:
		return m.eval(n.Node, where{place: m.basePlace()})
	case InPath:
		return m.eval(n.Node, where{place: m.pathPlace()})
	case InContent:
		return m.eval(n.Node, m.content(in))
	}
	return m.evalUnits(n, in)
}

// content is the text, or the part of it that is looked at already.
func (m *matcher) content(in where) where {
	if in.unit {
		return in
	}
	return where{place: &m.body}
}

// evalUnits looks for one unit that satisfies all of the operand. That the
// text as a whole has what is wanted, by units within units too, is asked
// first: it is cheap, and mostly false.
func (m *matcher) evalUnits(n *Scope, in where) bool {
	around := m.content(in)
	if !in.unit && !m.possible(n.Node, around) {
		return false
	}
	found := false
	m.eachUnit(n.Op, around, func(unit where) bool {
		found = m.eval(n.Node, unit)
		return !found
	})
	return found
}

// possible is true unless no part of the place can satisfy the node.
func (m *matcher) possible(node Node, in where) bool {
	switch n := node.(type) {
	case *And:
		for _, one := range n.Nodes {
			if !m.possible(one, in) {
				return false
			}
		}
		return true
	case *Or:
		return anyNode(n.Nodes, func(one Node) bool { return m.possible(one, in) })
	case *Word:
		return in.place.hasWord(n)
	case *Phrase:
		return in.place.hasPhrase(n)
	case *Scope:
		return n.Op == InFile || n.Op == InPath || m.possible(n.Node, in)
	}
	return true
}

func (m *matcher) namePlace() *place {
	if !m.known.name {
		m.known.name = true
		m.name.setName(m.file.name())
	}
	return &m.name
}

func (m *matcher) basePlace() *place {
	if !m.known.base {
		m.known.base = true
		m.base.setName(m.file.base())
	}
	return &m.base
}

func (m *matcher) pathPlace() *place {
	if !m.known.path {
		m.known.path = true
		m.path.setName(m.file.Path)
	}
	return &m.path
}
