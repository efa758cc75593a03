// Package regex answers whether a text matches a pattern, as ripgrep and Obsidian's search would. Patterns have the
// syntax of Rust's regex crate or of JavaScript.
//
// It gives ripgrep's answers line by line (Unicode classes, word boundaries and case folding included), takes time
// linear in the text whatever the pattern, and compiles in bounded time and memory. An invalid pattern is refused
// with the offset of the mistake. A Limit ends matching within milliseconds, even in the middle of a line.
//
// A pattern becomes a tree, the tree an automaton over bytes, and the automaton is made deterministic while text is
// read, in a cache of bounded size. Callers only ask whether and where there is a match, so there are no groups to
// report, and greediness and the order of alternatives do not matter. Look-around and back-references, which such
// an automaton cannot express, are errors.
//
// The caller decides which files to read, which of them are binary, and how to show results.
package regex

import "sync"

// Dialect is the language that a pattern is written in.
type Dialect uint8

const (
	// Ripgrep is the syntax of Rust's regex crate as ripgrep uses it: ^ and $ match at the ends of a line, and no
	// match contains a line feed.
	Ripgrep Dialect = iota
	// JavaScript is ECMAScript's syntax with the flag m, and with its tolerance for stray brackets. A character is
	// a code point.
	JavaScript
)

// Options say how to read a pattern, and how much work it may take.
type Options struct {
	Dialect    Dialect
	IgnoreCase bool
	Limit      *Limit // nil: none
}

// Regex is a compiled pattern. Many goroutines may use it at once, each with its own Matcher.
type Regex struct {
	program  *program // of the pattern's core
	whole    *program // of the whole pattern
	need     Need
	filter   *prefilter
	dialect  Dialect
	limit    *Limit
	matchers sync.Pool
}

// maxPattern is the longest pattern in bytes. Nobody writes longer ones, and compiling must end within
// milliseconds.
const maxPattern = 32 << 10

// Compile compiles a pattern. The error is an *Error.
func Compile(pattern string, o Options) (*Regex, error) {
	if len(pattern) > maxPattern {
		return nil, errorf(maxPattern, "the pattern is too long: %d bytes; the limit is %d", len(pattern), maxPattern)
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
	return &Regex{
		program: p, whole: whole, need: need, filter: newPrefilter(tree, need, p), dialect: o.Dialect, limit: o.Limit,
	}, nil
}

// Exceeded reports whether matching was ended because it took more work than the limit allows. Matches may be
// missing then.
func (r *Regex) Exceeded() bool { return r.limit.Exceeded() }

// Needs returns what a text must contain for the pattern to match: in the line of the match for Ripgrep, anywhere
// for JavaScript.
func (r *Regex) Needs() Need { return r.need }

// Matcher returns a matcher for a single goroutine. It becomes faster while it reads: keep it for all texts of a
// search, then release it.
func (r *Regex) Matcher() *Matcher {
	m, ok := r.matchers.Get().(*Matcher)
	if !ok {
		m = &Matcher{regex: r, dfa: newDFA(r.program)}
	}
	m.settle()
	return m
}

// Release returns the matcher for others to use. It must not be used afterwards.
func (m *Matcher) Release() { m.regex.matchers.Put(m) }
