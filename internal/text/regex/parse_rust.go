package regex

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// rustParser reads the syntax of Rust's regex crate.
type rustParser struct {
	cursor
	flags rustFlags
	sets  map[string]set // sets of escapes, by what they ask for
}

// rustFlags are the flags that matter, except for i. Greediness does not.
type rustFlags struct {
	dotAll bool // s
	space  bool // x
	crlf   bool // R
	single bool // -m: ^ and $ are the ends of the text
	ascii  bool // -u
}

func parseRust(pattern string, fold bool) (*node, *Error) {
	p := &rustParser{cursor: cursor{src: pattern, fold: fold}}
	return p.finish(p.alternation())
}

// skipSpace skips white space and comments, if the flag x is on.
func (p *rustParser) skipSpace() {
	if !p.flags.space {
		return
	}
	for !p.eof() {
		switch c := p.peek(); {
		case unicode.IsSpace(c):
			p.bump()
		case c == '#':
			if i := strings.IndexByte(p.src[p.pos:], '\n'); i >= 0 {
				p.pos += i + 1
			} else {
				p.pos = len(p.src)
			}
		default:
			return
		}
	}
}

// advance moves over a character and white space. It reports whether there is more.
func (p *rustParser) advance() bool {
	p.bump()
	p.skipSpace()
	return !p.eof()
}

// alternation reads up to the end, or to a parenthesis that it did not open.
func (p *rustParser) alternation() *node {
	start := p.pos
	var choices []*node
	var items []*node
	for {
		p.skipSpace()
		switch at, c := p.pos, p.peek(); c {
		case endOfPattern, ')':
			choices = append(choices, concat(start, items))
			return alternate(start, choices)
		case '|':
			choices = append(choices, concat(start, items))
			items = nil
			p.bump()
		case '(':
			items = append(items, p.group())
		case '[':
			items = append(items, p.bracketed())
		case '?', '*', '+', '{':
			items = p.repetition(items)
		default:
			items = append(items, p.primitive(at, c))
		}
	}
}

// repetition applies an operator to the last item.
func (p *rustParser) repetition(items []*node) []*node {
	at := p.pos
	n := len(items)
	if n == 0 || items[n-1].kind == nodeFlags {
		p.fail(at, errMissing)
		return items
	}
	low, high := 0, unlimited
	switch p.peek() {
	case '{':
		low, high = p.counts()
	case '?':
		high = 1
		p.bump()
	case '+':
		low = 1
		p.bump()
	default:
		p.bump()
	}
	p.accept("?")
	if p.err != nil || !p.checkDepth(at, items[n-1].depth+1) {
		return items
	}
	items[n-1] = repeat(at, items[n-1], low, high)
	return items
}

// counts reads {n}, {n,} or {n,m}.
func (p *rustParser) counts() (low, high int) {
	const unclosed = "unclosed counted repetition"
	at := p.pos
	if !p.advance() {
		p.fail(at, unclosed)
		return
	}
	low, ok := p.decimal()
	high = low
	if p.peek() == ',' {
		if !p.advance() {
			p.fail(at, unclosed)
			return
		}
		high = unlimited
		if p.peek() != '}' {
			var highOK bool
			high, highOK = p.decimal()
			ok = ok && highOK
		}
	}
	switch {
	case p.eof():
		p.fail(at, unclosed)
	case !ok:
		p.fail(at, "repetition quantifier expects a valid decimal")
	case p.peek() != '}':
		p.fail(at, unclosed)
	case high != unlimited && low > high:
		p.fail(at, errCounts)
	}
	p.advance()
	return low, high
}

// decimal reads a number, with white space around it whatever the flags are.
func (p *rustParser) decimal() (n int, ok bool) {
	for unicode.IsSpace(p.peek()) {
		p.bump()
	}
	at := p.pos
	value := int64(0)
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		value, ok = value*10+int64(c-'0'), true
		if value > math.MaxUint32 {
			p.fail(at, "decimal literal invalid")
			return 0, false
		}
		p.advance()
	}
	for unicode.IsSpace(p.peek()) {
		p.advance()
	}
	return int(min(value, manyTimes)), ok
}

// primitive reads what is not an operator: a character, an escape, a dot or an anchor.
func (p *rustParser) primitive(at int, c rune) *node {
	switch c {
	case '\\':
		return p.escapeNode()
	case '.':
		p.bump()
		return p.dot(at)
	case '^':
		p.bump()
		return p.anchor(at, lookLineStart, lookLineStartCRLF)
	case '$':
		p.bump()
		return p.anchor(at, lookLineEnd, lookLineEndCRLF)
	}
	p.bump()
	return p.literal(at, c)
}

func (p *rustParser) anchor(at int, plain, crlf look) *node {
	if p.flags.crlf && !p.flags.single {
		plain = crlf
	}
	return &node{kind: nodeLook, at: at, look: plain}
}

func (p *rustParser) dot(at int) *node {
	except := set{{'\n', '\n'}}
	switch {
	case p.flags.dotAll:
		except = nil
	case p.flags.crlf:
		except = set{{'\n', '\n'}, {'\r', '\r'}}
	}
	return p.class(at, p.everything().minus(except))
}

// literal returns a node for a character, in all its cases if case is ignored.
func (p *rustParser) literal(at int, c rune) *node {
	switch {
	case !p.fold || p.flags.ascii && c >= 0x80:
		return &node{kind: nodeClass, at: at, set: single(c)}
	case p.flags.ascii:
		return p.class(at, foldASCII(single(c)))
	}
	return &node{kind: nodeClass, at: at, set: simpleFolding().orbit(c)}
}

// class returns a node for a character of a set or, without Unicode, a byte.
func (p *rustParser) class(at int, s set) *node {
	if p.flags.ascii && len(s) > 0 && s[len(s)-1].hi >= 0x80 {
		return &node{kind: nodeBytes, at: at, set: p.use(s)}
	}
	return &node{kind: nodeClass, at: at, set: p.use(s.scalar())}
}

// everything is what a negated class is subtracted from.
func (p *rustParser) everything() set {
	if p.flags.ascii {
		return anyByte
	}
	return anyRune
}

// folded returns the set with the other cases of its members, if case is ignored.
func (p *rustParser) folded(s set) set {
	switch {
	case !p.fold:
		return s
	case p.flags.ascii:
		return foldASCII(s)
	}
	return p.withFolds(simpleFolding(), s)
}

func foldASCII(s set) set {
	out := slices.Clone([]span(s))
	for _, sp := range s.intersect(set{{'A', 'Z'}}) {
		out = append(out, span{sp.lo + 32, sp.hi + 32})
	}
	for _, sp := range s.intersect(set{{'a', 'z'}}) {
		out = append(out, span{sp.lo - 32, sp.hi - 32})
	}
	return normalize(out)
}
