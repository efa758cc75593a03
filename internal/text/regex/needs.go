package regex

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Need is a formula over literals that is true of every text with a match: of the line of the match for Ripgrep, of
// the whole text for JavaScript. It may be true of other texts too. It has at most 64 literals of at most 64 bytes.
type Need struct {
	Kind NeedKind
	// Literal is what the text contains, for NeedLiteral.
	Literal string
	// Fold means that the text contains some string that equals Literal under simple case folding: as many
	// characters, each in the same orbit of unicode.SimpleFold as that of Literal (k, K and the Kelvin sign are an
	// orbit; s, S and the long s another). Literal is then in lower case: each character is the lower case of the
	// smallest one in its orbit, if the orbit contains that.
	Fold bool
	// Subs are the operands of NeedAll and NeedAny, at least two.
	Subs []Need
}

// NeedKind is the kind of a Need.
type NeedKind uint8

const (
	NeedAnything NeedKind = iota // always true
	NeedLiteral                  // the text contains the literal
	NeedAll                      // all of Subs are true
	NeedAny                      // at least one of Subs is true
)

const (
	maxLiterals = 64
	maxLiteral  = 64 // bytes
	maxChoice   = 8  // characters of a class that become literals of their own
)

// literal is a string that a part of a pattern may match.
type literal struct {
	text string
	fold bool
}

// facts are what is known about the matches of a part of a pattern: all strings that it can match, if these are
// few, and what each of them contains.
type facts struct {
	exact []literal // nil if unknown
	need  Need
}

// needs returns the formula of a whole pattern.
func needs(tree *node) Need { return limited(factsOf(tree).need) }

func factsOf(n *node) facts {
	switch n.kind {
	case nodeEmpty, nodeFlags, nodeLook:
		return exactly([]literal{{}})
	case nodeClass, nodeBytes:
		return classFacts(n)
	case nodeRepeat:
		return repeatFacts(n, factsOf(n.subs[0]))
	case nodeAlternate:
		all := make([]facts, len(n.subs))
		for i, sub := range n.subs {
			all[i] = factsOf(sub)
		}
		return alternateFacts(all)
	}
	c := newConcatFacts()
	for _, sub := range n.subs {
		c.add(factsOf(sub))
	}
	return c.done()
}

func exactly(literals []literal) facts { return facts{literals, oneOf(literals)} }

func classFacts(n *node) facts {
	size := n.set.size()
	if size == 0 || n.kind == nodeBytes && n.set[len(n.set)-1].hi >= utf8.RuneSelf {
		return facts{}
	}
	if first := n.set[0].lo; size > 1 && len(n.set.minus(goOrbit(first))) == 0 {
		return exactly([]literal{{string(foldRune(first)), true}})
	}
	if size > maxChoice {
		return facts{}
	}
	var choices []literal
	for _, s := range n.set {
		for r := s.lo; r <= s.hi; r++ {
			choices = append(choices, literal{text: string(r)})
		}
	}
	return exactly(choices)
}

// goOrbit returns the orbit of unicode.SimpleFold, which Need.Fold refers to.
func goOrbit(r rune) set {
	orbit := []span{{r, r}}
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		orbit = append(orbit, span{o, o})
	}
	return normalize(orbit)
}

// foldRune returns the character that represents its orbit in a folded literal. The lower case of a few characters,
// such as İ, is in another orbit.
func foldRune(r rune) rune {
	orbit := goOrbit(r)
	least := orbit[0].lo
	if lower := unicode.ToLower(least); orbit.has(lower) {
		return lower
	}
	return least
}

func folded(text string) string { return strings.Map(foldRune, text) }

func repeatFacts(n *node, sub facts) facts {
	if n.min == 0 {
		if n.max == 1 && sub.exact != nil && len(sub.exact) < maxLiterals {
			return exactly(append(slices.Clone(sub.exact), literal{}))
		}
		return facts{}
	}
	c := newConcatFacts()
	copies := min(n.min, maxLiteral)
	for range copies {
		c.add(sub)
	}
	if n.max != copies {
		c.add(facts{})
	}
	return c.done()
}

func alternateFacts(all []facts) facts {
	var exact []literal
	isExact := true
	subs := make([]Need, len(all))
	for i, f := range all {
		subs[i] = f.need
		exact = append(exact, f.exact...)
		isExact = isExact && f.exact != nil && len(exact) <= maxLiterals
	}
	if isExact {
		return exactly(exact)
	}
	return facts{need: anyOf(subs)}
}

// concatFacts collects the facts of consecutive parts. It joins the literals of adjacent parts as long as there are
// few.
type concatFacts struct {
	joined []literal // what the parts since the last break can match
	needs  []Need    // of the parts before
	broken bool
}

func newConcatFacts() *concatFacts { return &concatFacts{joined: []literal{{}}} }

func (c *concatFacts) add(f facts) {
	if f.exact == nil {
		c.breakOff()
		c.needs = append(c.needs, f.need)
		return
	}
	if product, ok := join(c.joined, f.exact); ok {
		c.joined = product
		return
	}
	c.breakOff()
	c.joined = f.exact
}

func (c *concatFacts) breakOff() {
	c.broken = true
	if need := oneOf(c.joined); need.Kind != NeedAnything && len(c.needs) < 4*maxLiterals {
		c.needs = append(c.needs, need)
	}
	c.joined = []literal{{}}
}

func (c *concatFacts) done() facts {
	if !c.broken {
		return exactly(c.joined)
	}
	c.breakOff()
	return facts{need: allOf(c.needs)}
}

// join returns each of a followed by each of b, unless these are too many or too long. A literal that is partly
// folded is folded as a whole, which says less.
func join(a, b []literal) ([]literal, bool) {
	if len(a)*len(b) > maxLiterals {
		return nil, false
	}
	product := make([]literal, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			if len(x.text)+len(y.text) > maxLiteral {
				return nil, false
			}
			both := literal{x.text + y.text, x.fold || y.fold}
			if x.fold != y.fold {
				both.text = folded(both.text)
			}
			product = append(product, both)
		}
	}
	return product, true
}
