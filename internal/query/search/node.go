package search

import (
	"obsidian-mcp/internal/text/fold"
	"obsidian-mcp/internal/text/regex"
)

// Node is a part of a query: *And, *Or, *Not, *Word, *Phrase, *Regex, *Scope, *Tag or *Property; in the value of a
// property also *Compare and *Null.
type Node interface{ isNode() }

// And is true if all of its nodes are; there are at least two.
type And struct{ Nodes []Node }

// Or is true if any of its nodes is; there are at least two.
type Or struct{ Nodes []Node }

// Not is true if its node is false.
type Not struct{ Node Node }

// Word is a text that may be part of a longer word.
type Word struct {
	Text string
	Case bool // exact; otherwise case and diacritics are ignored

	needle []byte // the text in the form that is compared
	form   form
}

// Phrase is a text that starts and ends at word boundaries. An empty phrase is in every text.
type Phrase struct {
	Text string
	Case bool

	needle []byte
	form   form
	folded []byte // the text without case and diacritics; a folded text that lacks it lacks the phrase
}

// Regex is a regular expression.
type Regex struct {
	Pattern *regex.Regex
	Source  string
	Case    bool

	number int // position among the query's regular expressions
}

// Op is an operator that says where to search.
type Op uint8

const (
	Anywhere Op = iota // no operator: text and name
	InFile             // in the name with its extension
	InPath
	InContent
	InLine
	InBlock
	InSection
	InTask
	InTodoTask
	InDoneTask
)

// Scope is true if its node is true of one of the texts that Op names.
type Scope struct {
	Op   Op
	Node Node
}

// Tag is true of a file that has the tag or a tag nested below it.
type Tag struct {
	Name string // without #

	key string
}

// Property is true of a file that has the property and, unless Value is nil, such a value. In a list any item
// counts; each text of Value may be in a different item.
type Property struct {
	Name  string
	Value Node

	key string
}

// Compare is true of a number or a date on the given side of the limit.
type Compare struct {
	Sign  string // < > <= >= =
	Limit string

	limit limit
}

// Null is true of a property without a value.
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

// newWord prepares a word. A word that consists only of marks has no folded form, and is searched for as it is.
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

// caseKey makes names equal that differ only in case and Unicode normal form.
func caseKey(text string) string { return string(fold.AppendCase(nil, []byte(text))) }
