package search

import (
	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/regex"
)

// Node is a part of a query: *And, *Or, *Not, *Word, *Phrase, *Regex, *Scope,
// *Tag or *Property; in the value of a property also *Compare and *Null.
type Node interface{ isNode() }

// And is true where all of its nodes are; there are at least two.
type And struct{ Nodes []Node }

// Or is true where one of its nodes is; there are at least two.
type Or struct{ Nodes []Node }

// Not is true where its node is not.
type Not struct{ Node Node }

// Word is a text that may be a part of longer words.
type Word struct {
	Text string
	Case bool // exact; otherwise case and diacritics do not count

	needle []byte // in the form that it is compared in
	form   form
}

// Phrase is a text that starts and ends at word boundaries. One without text
// is in every text.
type Phrase struct {
	Text string
	Case bool

	needle []byte
	form   form
	folded []byte // what its text must have, folded, for the phrase to be there
}

// Regex is a regular expression.
type Regex struct {
	Pattern *regex.Regex
	Source  string
	Case    bool

	number int // in the query
}

// Op is an operator that says where to look.
type Op uint8

// The operators that say where to look.
const (
	Anywhere Op = iota // no operator: text and name
	InFile             // the name with its extension
	InPath
	InContent
	InLine
	InBlock
	InSection
	InTask
	InTodoTask
	InDoneTask
)

// Scope is true where its node is, in one of the places that Op names.
type Scope struct {
	Op   Op
	Node Node
}

// Tag is true for a file with the tag or one below it.
type Tag struct {
	Name string // without #

	key string
}

// Property is true for a file with the property and, unless Value is nil, with
// such a value. Of a list, any item will do; each text in Value may be found in
// another one.
type Property struct {
	Name  string
	Value Node

	key string
}

// Compare is true for a number or a date on that side of the limit.
type Compare struct {
	Sign  string // < > <= >= =
	Limit string

	limit limit
}

// Null is true for a property without a value.
type Null struct{}

func (*And) isNode()      {}
func (*Or) isNode()       {}
func (*Not) isNode()      {}
func (*Word) isNode()     {}
func (*Phrase) isNode()   {}
func (*Regex) isNode()    {}
func (*Scope) isNode()    {}
func (*Tag) isNode()      {}
func (*Property) isNode() {}
func (*Compare) isNode()  {}
func (*Null) isNode()     {}

// newWord prepares a word. One that consists of marks alone has no folded
// form: it is looked for as it is.
func newWord(text string, matchCase bool) *Word {
	w := &Word{Text: text, Case: matchCase}
	if !matchCase {
		w.needle, w.form = fold.Append(nil, []byte(text)), folded
	}
	if len(w.needle) == 0 {
		w.needle, w.form = phraseForm(text, matchCase)
	}
	return w
}

func newPhrase(text string, matchCase bool) *Phrase {
	p := &Phrase{Text: text, Case: matchCase, folded: fold.Append(nil, []byte(text))}
	p.needle, p.form = phraseForm(text, matchCase)
	return p
}

func phraseForm(text string, matchCase bool) ([]byte, form) {
	if matchCase {
		return fold.Compose([]byte(text)), composed
	}
	return fold.AppendCase(nil, []byte(text)), lowered
}

// caseKey makes names comparable that differ in case and spelling alone.
func caseKey(text string) string { return string(fold.AppendCase(nil, []byte(text))) }
