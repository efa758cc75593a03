// Package search implements Obsidian's search language: it parses a query and decides whether a file matches it.
//
// A word matches parts of words, ignoring case and diacritics (package fold says how far that goes). Quoted phrases
// keep their diacritics, and start and end at word boundaries. /…/ is a JavaScript regular expression. The
// operators file: path: content: tag: line: block: section: task: task-todo: task-done: match-case: ignore-case:
// and [property:value] say where to look; space is AND, OR binds less tightly, - negates, parentheses group. A text
// outside of operators is searched for in a file's text and in its name.
//
// Text that is almost syntax is text: a lone OR, a quote or bracket that is not closed, a word with a colon that is
// not an operator. Anything else that makes no sense is an error that shows the position.
//
// The package looks at a single file at a time. A planner, which walks the tree from Query.Root, decides which
// files to match and how to order the results.
package search

import (
	"strings"
	"sync"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/regex"
)

// Limits of a query.
const (
	MaxBytes   = 4096
	MaxDepth   = 100
	MaxParts   = 256 // words, phrases, operators and so on
	MaxRegexes = 20
)

// Options say how to parse a query.
type Options struct {
	MatchCase bool         // Obsidian's toggle; match-case: and ignore-case: override it
	Limit     *regex.Limit // for the work of all regular expressions together; nil: none
}

// Query is a parsed query. Many goroutines may use it at once.
type Query struct {
	Root Node // nil for an empty query, which all files match

	plain    bool
	byName   bool // it can match a file by name or path alone
	regexes  []*Regex
	limit    *regex.Limit
	matchers sync.Pool
}

// Parse parses a query. Its errors are of kind InvalidArgument.
func Parse(text string, o Options) (*Query, error) {
	if len(text) > MaxBytes {
		return nil, fault.InvalidArgument.Errorf("the query is too long: %d bytes; the limit is %d", len(text), MaxBytes)
	}
	p := parser{text: text, end: len(text), matchCase: o.MatchCase, limit: o.Limit, plain: true}
	if err := p.checkText(); err != nil {
		return nil, err
	}
	root, err := p.alternatives(0)
	if err != nil {
		return nil, err
	}
	return &Query{Root: root, plain: p.plain, byName: matchesByName(root), regexes: p.regexes, limit: o.Limit}, nil
}

// Exceeded reports whether the query's regular expressions took more work than their limit allows. Answers given
// since then are meaningless.
func (q *Query) Exceeded() bool { return q.limit.Exceeded() }

// checkText refuses a query that is not text.
func (p *parser) checkText() error {
	if nul := strings.IndexByte(p.text, 0); nul >= 0 {
		return p.fail(nul, "a NUL byte in the query")
	}
	for i, r := range p.text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(p.text[i:]); size == 1 {
				return fault.InvalidArgument.Errorf("the query is not valid UTF-8: byte %d is %#02x", i+1, p.text[i])
			}
		}
	}
	return nil
}

// matchesByName reports whether a query has a file: or path: that is not negated.
func matchesByName(node Node) bool {
	switch n := node.(type) {
	case *And:
		return anyNode(n.Nodes, matchesByName)
	case *Or:
		return anyNode(n.Nodes, matchesByName)
	case *Scope:
		return n.Op == InFile || n.Op == InPath
	}
	return false
}

func anyNode(nodes []Node, holds func(Node) bool) bool {
	for _, node := range nodes {
		if holds(node) {
			return true
		}
	}
	return false
}

// Plain returns the words of a query that consists only of words. The caller may then also rank files that have
// only some of them.
func (q *Query) Plain() (words []string, ok bool) {
	for _, word := range q.Words() {
		words = append(words, word.Text)
	}
	return words, len(words) > 0
}

// Words returns the words of a query that consists only of words, as Plain does.
func (q *Query) Words() []*Word {
	if !q.plain {
		return nil
	}
	nodes := []Node{q.Root}
	if all, several := q.Root.(*And); several {
		nodes = all.Nodes
	}
	var words []*Word
	for _, node := range nodes {
		if word, ok := node.(*Word); ok {
			words = append(words, word)
		}
	}
	return words
}

// TermKind is the kind of a term.
type TermKind uint8

const (
	WordTerm TermKind = iota
	PhraseTerm
	RegexTerm
)

// Term is a text that a query asks for.
type Term struct {
	Kind  TermKind
	Text  string // the source of a regular expression
	Case  bool   // letter case matters
	Scope Op     // the innermost operator around it; Anywhere without one
	Regex *Regex // of a RegexTerm
}

// Terms returns the texts that a query asks for, in the order in which they are written, without excluded texts,
// tags and properties.
func (q *Query) Terms() []Term {
	var found []Term
	collectTerms(q.Root, Anywhere, true, &found)
	return found
}

func collectTerms(node Node, scope Op, wanted bool, found *[]Term) {
	switch n := node.(type) {
	case *And:
		for _, child := range n.Nodes {
			collectTerms(child, scope, wanted, found)
		}
	case *Or:
		for _, child := range n.Nodes {
			collectTerms(child, scope, wanted, found)
		}
	case *Not:
		collectTerms(n.Node, scope, !wanted, found)
	case *Scope:
		collectTerms(n.Node, n.Op, wanted, found)
	case *Word:
		if wanted {
			*found = append(*found, Term{Kind: WordTerm, Text: n.Text, Case: n.Case, Scope: scope})
		}
	case *Phrase:
		if wanted && n.Text != "" {
			*found = append(*found, Term{Kind: PhraseTerm, Text: n.Text, Case: n.Case, Scope: scope})
		}
	case *Regex:
		if wanted {
			*found = append(*found, Term{Kind: RegexTerm, Text: n.Source, Case: n.Case, Scope: scope, Regex: n})
		}
	}
}
