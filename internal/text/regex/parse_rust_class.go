package regex

import (
	"strings"
	"unicode"
)

// classItems are the items of a class so far, and how deeply they are nested.
type classItems struct {
	spans []span
	count int
	depth int
}

func (i *classItems) add(s set, depth int) {
	i.spans = append(i.spans, s...)
	i.count++
	i.depth = max(i.depth, depth)
}

// done returns all items together.
func (i *classItems) done() (s set, depth int) {
	if i.count > 1 {
		return normalize(i.spans), i.depth + 1
	}
	return normalize(i.spans), i.depth
}

// bracketed reads a class in brackets.
func (p *rustParser) bracketed() *node {
	at := p.pos
	s, depth := p.bracketedSet()
	n := p.class(at, s)
	n.depth = depth
	return n
}

// bracketedSet reads a class: items, nested classes and operators between them, which have equal precedence and
// associate to the left.
func (p *rustParser) bracketedSet() (s set, depth int) {
	at := p.pos
	if !p.deeper(at) {
		return nil, 0
	}
	defer func() { p.level-- }()
	negated, items := p.openClass(at)
	var left set
	leftDepth := 0
	operator := ""
	operand := func() {
		right, rightDepth := items.done()
		items = classItems{}
		if operator == "" {
			left, leftDepth = right, rightDepth
			return
		}
		left, leftDepth = p.operate(operator, left, right), 1+max(leftDepth, rightDepth)
		p.checkDepth(at, leftDepth)
	}
	for {
		p.skipSpace()
		switch c := p.peek(); {
		case c == endOfPattern:
			p.fail(at, errClass)
			return nil, 0
		case c == ']':
			p.bump()
			operand()
			return p.finished(left, negated), leftDepth + 1
		case (c == '&' || c == '-' || c == '~') && p.peekAt(p.pos+1) == c:
			p.pos += 2
			operand()
			operator = string(c)
		default:
			p.classItem(at, &items)
		}
	}
}

// finished returns the set of a complete class.
func (p *rustParser) finished(s set, negated bool) set {
	s = p.folded(s)
	if negated {
		s = p.everything().minus(s)
		p.spend(s)
	}
	return s
}

func (p *rustParser) operate(operator string, left, right set) set {
	left, right = p.folded(left), p.folded(right)
	p.spend(left)
	p.spend(right)
	switch operator {
	case "&":
		return left.intersect(right)
	case "-":
		return left.minus(right)
	}
	return left.exclusive(right)
}

// openClass reads the bracket and what has a special meaning right after it: the caret, hyphens, and a closing
// bracket, which is a literal there.
func (p *rustParser) openClass(at int) (negated bool, items classItems) {
	p.advance()
	if p.peek() == '^' {
		negated = true
		p.advance()
	}
	for p.peek() == '-' {
		items.add(single('-'), 0)
		p.advance()
	}
	if items.count == 0 && p.peek() == ']' {
		items.add(single(']'), 0)
		p.advance()
	}
	if p.eof() {
		p.fail(at, errClass)
	}
	return negated, items
}

// classItem reads a range, a single character, an escape or a nested class. The class was opened at an offset.
func (p *rustParser) classItem(open int, items *classItems) {
	at := p.pos
	if p.peek() == '[' {
		if s, ok := p.posixClass(); ok {
			items.add(s, 0)
			return
		}
		items.add(p.bracketedSet())
		return
	}
	first := p.classAtom()
	p.skipSpace()
	if p.eof() {
		p.fail(open, errClass)
		return
	}
	if next := p.afterHyphen(); p.peek() != '-' || next == ']' || next == '-' {
		items.add(p.classSet(first), 0)
		return
	}
	if !p.advance() {
		p.fail(open, errClass)
		return
	}
	last := p.classAtom()
	if first.kind > atomByte || last.kind > atomByte {
		p.fail(at, "invalid range boundary, must be a literal")
		return
	}
	if first.r > last.r {
		p.fail(at, errOrder)
		return
	}
	p.classSet(first)
	p.classSet(last)
	items.add(set{{first.r, last.r}}, 0)
}

// afterHyphen returns the character after the current one and after white space, as Rust looks for it: it does not
// read a comment to its end.
func (p *rustParser) afterHyphen() rune {
	next := p.pos + 1
	if !p.flags.space || p.eof() {
		return p.peekAt(next)
	}
	comment := false
	for i, c := range p.src[min(next, len(p.src)):] {
		switch {
		case unicode.IsSpace(c):
		case c == '#' && !comment:
			comment = true
		default:
			return p.peekAt(next + i)
		}
	}
	return p.peekAt(next)
}

func (p *rustParser) classAtom() atom {
	if p.peek() == '\\' {
		return p.escape()
	}
	a := atom{kind: atomLiteral, at: p.pos, r: p.peek()}
	p.bump()
	return a
}

func (p *rustParser) classSet(a atom) set {
	switch {
	case a.kind == atomLook:
		p.fail(a.at, "invalid escape sequence found in character class")
	case a.kind == atomClass:
		p.spend(a.set)
		return a.set
	case a.kind == atomLiteral && p.flags.ascii && a.r >= 0x80:
		p.fail(a.at, "Unicode not allowed here")
	}
	return single(a.r)
}

// posixClass reads [:alpha:], if there is such a class.
func (p *rustParser) posixClass() (set, bool) {
	rest, ok := strings.CutPrefix(p.src[p.pos:], "[:")
	if !ok {
		return nil, false
	}
	name, _, ok := strings.Cut(rest, ":]")
	if !ok {
		return nil, false
	}
	plain, negated := strings.CutPrefix(name, "^")
	s, ok := posixClasses[plain]
	if !ok {
		return nil, false
	}
	p.pos += len("[:") + len(name) + len(":]")
	return p.finished(s, negated), true
}

var posixClasses = map[string]set{
	"alnum":  {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}},
	"alpha":  {{'A', 'Z'}, {'a', 'z'}},
	"ascii":  {{0, 0x7f}},
	"blank":  {{'\t', '\t'}, {' ', ' '}},
	"cntrl":  {{0, 0x1f}, {0x7f, 0x7f}},
	"digit":  {{'0', '9'}},
	"graph":  {{'!', '~'}},
	"lower":  {{'a', 'z'}},
	"print":  {{' ', '~'}},
	"punct":  {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}},
	"space":  {{'\t', '\r'}, {' ', ' '}},
	"upper":  {{'A', 'Z'}},
	"word":   {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}},
	"xdigit": {{'0', '9'}, {'A', 'F'}, {'a', 'f'}},
}
