package regex

import (
	"strings"
	"unicode"
)

// group reads what begins with a parenthesis: a group, or a change of flags for the rest of the surrounding group.
func (p *rustParser) group() *node {
	at := p.pos
	p.bump()
	p.skipSpace()
	fold, flags := p.fold, p.flags
	kind := nodeCapture
	switch {
	case p.accept("?=") || p.accept("?!") || p.accept("?<=") || p.accept("?<!"):
		p.fail(at, errLook)
	case strings.HasPrefix(p.src[p.pos:], "?P="):
		p.fail(at, errReference)
	case p.accept("?P<") || p.accept("?<"):
		p.groupName()
	case p.accept("?"):
		if p.eof() {
			p.fail(at, errUnclosed)
			break
		}
		kind = nodeConcat
		if p.changeFlags(at) == ')' {
			return &node{kind: nodeFlags, at: at}
		}
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
	p.fold, p.flags = fold, flags
	if kind == nodeCapture {
		return &node{kind: nodeCapture, at: at, subs: []*node{inner}, depth: inner.depth + 1}
	}
	return inner.asGroup()
}

// asGroup returns a node within parentheses that do not capture: the same node, one level deeper. An empty one can
// still be repeated.
func (n *node) asGroup() *node {
	return n.withDepth(n.depth + 1)
}

func (p *rustParser) groupName() {
	start := p.pos
	for !p.eof() && p.peek() != '>' {
		if !isNameRune(p.peek(), p.pos == start) {
			p.fail(p.pos, errName)
			return
		}
		p.bump()
	}
	switch {
	case p.eof():
		p.fail(start, "unclosed capture group name")
	case p.pos == start:
		p.fail(start, "empty capture group name")
	default:
		p.addName(start, p.src[start:p.pos])
	}
	p.bump()
}

func isNameRune(r rune, first bool) bool {
	if r == '_' || unicode.IsLetter(r) || alphabetic().has(r) {
		return true
	}
	return !first && (r == '.' || r == '[' || r == ']' || unicode.IsNumber(r))
}

// changeFlags reads flags up to the colon or parenthesis that ends them, which it returns.
func (p *rustParser) changeFlags(at int) rune {
	start := p.pos
	negated, dangling := false, false
	for p.peek() != ':' && p.peek() != ')' {
		c := p.peek()
		switch {
		case c == endOfPattern:
			p.fail(p.pos, "expected flag but got end of regex")
			return endOfPattern
		case c == '-' && negated:
			p.fail(p.pos, "flag negation operator repeated")
		case c == '-':
			negated, dangling = true, true
		case !strings.ContainsRune("imsUuRx", c):
			p.fail(p.pos, "unrecognized flag")
		case strings.ContainsRune(p.src[start:p.pos], c):
			p.fail(p.pos, "duplicate flag")
		default:
			dangling = false
			p.setFlag(c, !negated)
		}
		p.bump()
	}
	last := p.peek()
	switch {
	case dangling:
		p.fail(p.pos-1, "dangling flag negation operator")
	case last == ')' && p.pos == start:
		p.fail(at, errMissing)
	}
	p.bump()
	return last
}

func (p *rustParser) setFlag(flag rune, on bool) {
	switch flag {
	case 'i':
		p.fold = on
	case 'm':
		p.flags.single = !on
	case 's':
		p.flags.dotAll = on
	case 'R':
		p.flags.crlf = on
	case 'x':
		p.flags.space = on
	case 'u':
		p.flags.ascii = !on
	}
}
