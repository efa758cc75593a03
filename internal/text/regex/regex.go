// Package regex answers whether text matches a pattern, as ripgrep and as
// Obsidian's search would: the first speaks the syntax of Rust's regex crate,
// the second JavaScript's.
//
// It promises ripgrep's answers line by line (Unicode classes, word
// boundaries and case folding included), time linear in the text whatever the
// pattern, and compilation that is bounded in time and memory. A pattern that
// cannot be understood is refused with the place in it. A Limit ends matching
// within milliseconds, in the midst of a line too.
//
// A pattern becomes a tree, the tree an automaton over bytes, and that one is
// made deterministic while text is read, in a cache of bounded size. Only
// whether and where there is a match is asked for, so there are no groups to
// report, and greediness and the order of alternatives do not matter.
// Look-around and back-references, which no such automaton has, are errors.
//
// What files there are, what is binary and how results are shown is left to
// the caller.
package regex

import "sync"

// Dialect is the language that a pattern is written in.
type Dialect uint8

const (
	// Ripgrep is the syntax of Rust's regex crate as ripgrep uses it: ^ and $
	// are the ends of a line, and no match contains a line feed.
	Ripgrep Dialect = iota
	// JavaScript is ECMAScript's syntax with the flag m, and with its
	// leniency towards stray brackets. A character is a code point.
	JavaScript
)

// Options say how a pattern is to be read, and how much it may cost.
type Options struct {
	Dialect    Dialect
	IgnoreCase bool
	Limit      *Limit // nil: none
}

// Regex is a compiled pattern. It may be used by many goroutines at once;
// what reads text is a Matcher, one for each of them.
type Regex struct {
	program  *program // of the pattern's core
	whole    *program // of all of it
	need     Need
	filter   *prefilter
	dialect  Dialect
	limit    *Limit
	matchers sync.Pool
}

// maxPattern is the longest pattern in bytes. No person writes one, and
// compiling it has to end within milliseconds.
const maxPattern = 32 << 10

// Compile reads a pattern. The error is an *Error.
func Compile(pattern string, o Options) (*Regex, error) {
	if len(pattern) > maxPattern {
		return nil, errorf(maxPattern, "the pattern is too long: %d bytes, and at most %d are read", len(pattern), maxPattern)
	}
	tree, err := parse(pattern, o)
	if err != nil {
		return nil, err
	}
	whole, err := assemble(tree, o.Dialect)
	if err != nil {
		return nil, err
	}
	p := whole
	if core := tree.core(); core != tree {
		tree = core
		if p, err = assemble(core, o.Dialect); err != nil {
			return nil, err
		}
	}
	need := needs(tree)
	r := &Regex{program: p, whole: whole, need: need, filter: newPrefilter(tree, need, p), dialect: o.Dialect, limit: o.Limit}
	return r, nil
}

// Exceeded reports that matching was ended since it cost more than the limit
// of the pattern allows. What it has found may not be all then.
func (r *Regex) Exceeded() bool { return r.limit.Exceeded() }

// Needs tells what any text must contain for the pattern to match: in its
// line for Ripgrep, anywhere for JavaScript.
func (r *Regex) Needs() Need { return r.need }

// Matcher gives a reader of text for one goroutine. It learns while it reads:
// keep it for all texts of a search, and release it then.
func (r *Regex) Matcher() *Matcher {
	m, ok := r.matchers.Get().(*Matcher)
	if !ok {
		m = &Matcher{regex: r, dfa: newDFA(r.program)}
	}
	m.settle()
	return m
}

// Release gives the matcher back for others to use. It must not be used
// afterwards.
func (m *Matcher) Release() { m.regex.matchers.Put(m) }
