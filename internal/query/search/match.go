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

type matcher struct {
	query   *Query
	regexes []*regex.Matcher
	scanner md.Scanner
	file    *File

	body  haystack // the text; of a canvas, the text of its cards
	cards []md.Span
	name  haystack
	base  haystack
	path  haystack
	ready ready

	note      *md.Note
	structure structure
	lines     []md.Span
	tags      []string // nil unless computed
	fields    []front.Field
	units     []*haystack // one per level of nested units
	nested    int
	value     haystack // of a property
}

// ready says what has been computed for the current file.
type ready struct{ name, base, path, note, structure, lines, tags, fields bool }

func (m *matcher) open(f *File) {
	m.file, m.cards, m.nested = f, nil, 0
	m.ready = ready{}
	text := f.Text
	if f.Canvas {
		text, m.cards = canvasText(f.Text)
	}
	m.body.set(text, 0)
}

// close drops references to what belongs to the caller.
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

// matchName matches files that are searched by name alone: a file: or path: operator must be what makes the query
// true.
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

// where says where a text is searched for.
type where struct {
	text *haystack
	name bool // and in the file's name
	unit bool // a part of the text
}

func (m *matcher) top() where { return where{text: &m.body, name: true} }

func (m *matcher) eval(node Node, in where) bool {
	switch n := node.(type) {
	case *And:
		for _, child := range n.Nodes {
			if !m.eval(child, in) {
				return false
			}
		}
		return true
	case *Or:
		for _, child := range n.Nodes {
			if m.eval(child, in) {
				return true
			}
		}
		return false
	case *Not:
		return !m.eval(n.Node, in)
	case *Word, *Phrase, *Regex:
		return m.hasText(n, in.text) || in.name && m.hasText(n, m.fileName())
	case *Scope:
		return m.evalScope(n, in)
	case *Tag:
		return m.hasTag(n, in)
	case *Property:
		return m.hasProperty(n)
	}
	return false
}

// hasText searches for a word, a phrase or a regular expression.
func (m *matcher) hasText(node Node, in *haystack) bool {
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
		return m.eval(n.Node, where{text: m.fileBase()})
	case InPath:
		return m.eval(n.Node, where{text: m.filePath()})
	case InContent:
		return m.eval(n.Node, m.content(in))
	}
	return m.evalUnits(n, in)
}

// content returns the file's text, or the unit of it that is being searched.
func (m *matcher) content(in where) where {
	if in.unit {
		return in
	}
	return where{text: &m.body}
}

// evalUnits looks for a unit that satisfies the whole operand. It first checks whether the text as a whole can,
// nested units included: that is cheap, and usually false.
func (m *matcher) evalUnits(n *Scope, in where) bool {
	around := m.content(in)
	if !in.unit && !m.mayMatch(n.Node, around) {
		return false
	}
	found := false
	m.eachUnit(n.Op, around, func(unit where) bool {
		found = m.eval(n.Node, unit)
		return !found
	})
	return found
}

// mayMatch returns false only if no part of the text can satisfy the node.
func (m *matcher) mayMatch(node Node, in where) bool {
	switch n := node.(type) {
	case *And:
		for _, child := range n.Nodes {
			if !m.mayMatch(child, in) {
				return false
			}
		}
		return true
	case *Or:
		return anyNode(n.Nodes, func(child Node) bool { return m.mayMatch(child, in) })
	case *Word:
		return in.text.hasWord(n)
	case *Phrase:
		return in.text.hasPhrase(n)
	case *Scope:
		return n.Op == InFile || n.Op == InPath || m.mayMatch(n.Node, in)
	}
	return true
}

func (m *matcher) fileName() *haystack {
	if !m.ready.name {
		m.ready.name = true
		m.name.setName(m.file.name())
	}
	return &m.name
}

func (m *matcher) fileBase() *haystack {
	if !m.ready.base {
		m.ready.base = true
		m.base.setName(m.file.base())
	}
	return &m.base
}

func (m *matcher) filePath() *haystack {
	if !m.ready.path {
		m.ready.path = true
		m.path.setName(m.file.Path)
	}
	return &m.path
}
