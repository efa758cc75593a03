package regex

import (
	"strings"
	"unicode"
)

// scriptParser reads JavaScript's syntax, including what its Annex B permits: a bracket or brace that closes or
// repeats nothing is a literal.
//
// Without its flag u, JavaScript treats a character beyond U+FFFF as two, and \p and \u{…} as letters. Nobody who
// writes them means that, so here they have the meaning that they have with the flag. Half a surrogate pair matches
// nothing.
type scriptParser struct {
	cursor
	groups  int  // capturing groups in the whole pattern
	named   bool // a group has a name
	inClass bool
}

func parseScript(pattern string, fold bool) (*node, error) {
	p := &scriptParser{cursor: cursor{src: pattern, fold: fold}}
	p.countGroups()
	tree, err := p.finish(p.alternation())
	if err != nil {
		return nil, err
	}
	return tree, nil
}

// countGroups looks ahead, since \2 is a reference only if there are two groups.
func (p *scriptParser) countGroups() {
	inClass := false
	for i := 0; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '[':
			inClass = true
		case ']':
			inClass = false
		case '(':
			rest := p.src[i+1:]
			name := strings.HasPrefix(rest, "?<") && !strings.HasPrefix(rest, "?<=") && !strings.HasPrefix(rest, "?<!")
			if !inClass && (name || !strings.HasPrefix(rest, "?")) {
				p.groups++
				p.named = p.named || name
			}
		}
	}
}

func (p *scriptParser) alternation() *node {
	start := p.pos
	var choices, items []*node
	for {
		switch at, c := p.pos, p.peek(); c {
		case endOfPattern, ')':
			choices = append(choices, concat(start, items))
			return alternate(start, choices)
		case '|':
			p.bump()
			choices = append(choices, concat(start, items))
			items = nil
		case '*', '+', '?':
			p.fail(at, errMissing)
		default:
			items = append(items, p.term())
		}
	}
}

// term reads an atom and its quantifier. An assertion cannot be repeated.
func (p *scriptParser) term() *node {
	at := p.pos
	n := p.atom()
	low, high, ok := p.quantifier()
	if !ok || p.err != nil {
		return n
	}
	if n.kind == nodeLook {
		p.fail(at, errMissing)
		return n
	}
	p.accept("?")
	if high != unlimited && low > high {
		p.fail(at, errCounts)
	}
	return repeat(at, n, low, high)
}

func (p *scriptParser) quantifier() (low, high int, ok bool) {
	switch p.peek() {
	case '*':
		p.bump()
		return 0, unlimited, true
	case '+':
		p.bump()
		return 1, unlimited, true
	case '?':
		p.bump()
		return 0, 1, true
	case '{':
		return p.counts()
	}
	return 0, 0, false
}

// counts reads {n}, {n,} or {n,m}. Other braces are literals.
func (p *scriptParser) counts() (low, high int, ok bool) {
	start := p.pos
	p.bump()
	low, ok = p.decimal()
	high = low
	if ok && p.accept(",") {
		high = unlimited
		if p.peek() != '}' {
			high, ok = p.decimal()
		}
	}
	if !ok || !p.accept("}") {
		p.pos = start
		return 0, 0, false
	}
	return low, high, true
}

// decimal reads a number. Numbers above manyTimes are all the same.
func (p *scriptParser) decimal() (n int, ok bool) {
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		n, ok = min(n*10+int(c-'0'), manyTimes), true
		p.bump()
	}
	return n, ok
}

func (p *scriptParser) atom() *node {
	at := p.pos
	switch c := p.peek(); c {
	case '(':
		return p.group()
	case '[':
		return p.bracketed()
	case '\\':
		return p.escapeNode()
	case '^':
		p.bump()
		return &node{kind: nodeLook, at: at, look: lookScriptLineStart}
	case '$':
		p.bump()
		return &node{kind: nodeLook, at: at, look: lookScriptLineEnd}
	case '.':
		p.bump()
		return &node{kind: nodeClass, at: at, set: scriptDot}
	case '{':
		if _, _, ok := p.counts(); ok {
			p.fail(at, errMissing)
		}
		fallthrough
	default:
		p.bump()
		return p.class(at, single(c))
	}
}

// class returns a node for a character of the set, in all its cases if case is ignored.
func (p *scriptParser) class(at int, s set) *node {
	if p.fold {
		s = p.withFolds(scriptFolding(), s)
	}
	return &node{kind: nodeClass, at: at, set: p.use(s.scalar())}
}

func (p *scriptParser) group() *node {
	at := p.pos
	p.bump()
	switch {
	case p.accept("?=") || p.accept("?!") || p.accept("?<=") || p.accept("?<!"):
		p.fail(at, errLook)
	case p.accept("?:"):
	case p.accept("?<"):
		p.groupName()
	case p.peek() == '?':
		p.fail(at, "unrecognized group: ( is followed by ?, but not by ?: or ?<name>")
	}
	if p.err != nil || !p.deeper(at) {
		return &node{kind: nodeEmpty, at: at}
	}
	inner := p.alternation()
	p.level--
	if p.eof() {
		p.fail(at, errUnclosed)
	}
	p.bump()
	return &node{kind: nodeCapture, at: at, subs: []*node{inner}, depth: inner.depth + 1}
}

func (p *scriptParser) groupName() {
	start := p.pos
	for !p.eof() && p.peek() != '>' {
		if r := p.peek(); r != '$' && r != '_' && !unicode.IsLetter(r) && (p.pos == start || !unicode.IsNumber(r)) {
			p.fail(p.pos, errName)
			return
		}
		p.bump()
	}
	if p.eof() || p.pos == start {
		p.fail(start, errName)
		return
	}
	p.addName(start, p.src[start:p.pos])
	p.bump()
}

var (
	scriptSpace = set{{'\t', '\r'}, {' ', ' '}, {0xa0, 0xa0}, {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029},
		{0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}, {0xfeff, 0xfeff}}
	scriptDot = anyRune.minus(set{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}})

	// scriptClasses already contain all cases of their members.
	scriptClasses = map[rune]set{'d': asciiDigit, 'D': anyRune.minus(asciiDigit), 's': scriptSpace, 'S': anyRune.minus(scriptSpace),
		'w': asciiWord, 'W': anyRune.minus(asciiWord)}
)
