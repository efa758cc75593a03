package regex

import (
	"strings"
	"unicode/utf8"
)

func (p *scriptParser) escapeNode() *node {
	at := p.pos
	if p.peekAt(p.pos+1) == 'b' || p.peekAt(p.pos+1) == 'B' {
		kind := lookBoundaryASCII
		if p.peekAt(p.pos+1) == 'B' {
			kind = lookNotBoundaryASCII
		}
		p.pos += 2
		return &node{kind: nodeLook, at: at, look: kind}
	}
	if c := p.peekAt(p.pos + 1); '1' <= c && c <= '9' {
		back := p.pos
		p.bump()
		if n, _ := p.decimal(); n <= p.groups {
			p.fail(at, errReference)
			return &node{kind: nodeEmpty, at: at}
		}
		p.pos = back
	}
	if p.named && strings.HasPrefix(p.src[p.pos:], `\k`) {
		p.fail(at, errReference)
	}
	if p.err != nil {
		return &node{kind: nodeEmpty, at: at}
	}
	letter := p.peekAt(p.pos + 1)
	a := p.escape()
	switch {
	case a.kind == atomClass && scriptClasses[letter] != nil:
		return &node{kind: nodeClass, at: at, set: a.set}
	case a.kind == atomClass:
		return p.class(at, a.set)
	}
	return p.class(at, single(a.r))
}

// escape reads an escape that stands for a character or a class.
func (p *scriptParser) escape() atom {
	a := atom{at: p.pos}
	p.bump()
	c := p.peek()
	switch {
	case c == endOfPattern:
		p.fail(a.at, errEscape)
	case strings.ContainsRune("dDsSwW", c):
		p.bump()
		a.kind, a.set = atomClass, scriptClasses[c]
	case (c == 'p' || c == 'P') && p.peekAt(p.pos+1) == '{':
		return p.unicodeClass(a)
	case '0' <= c && c <= '7':
		a.r = p.octal()
	case c == 'c':
		a.r = p.control()
	case c == 'x':
		p.bump()
		a.r = p.hex(c, 2)
	case c == 'u':
		p.bump()
		a.r = p.unicodeEscape()
	default:
		p.bump()
		a.r = c
		if i := strings.IndexRune("fnrtv", c); i >= 0 {
			a.r = rune("\f\n\r\t\v"[i])
		}
	}
	return a
}

// octal reads up to three digits, to at most 377.
func (p *scriptParser) octal() rune {
	value := rune(0)
	for range 3 {
		c := p.peek()
		if c < '0' || c > '7' || value*8+c-'0' > 0xff {
			break
		}
		value = value*8 + c - '0'
		p.bump()
	}
	return value
}

// control reads the c of \cX. If no letter follows (in a class, a digit or an underscore will do), the backslash is
// a literal.
func (p *scriptParser) control() rune {
	letter := p.peekAt(p.pos + 1)
	if !isLetter(letter) && !(p.inClass && asciiWord.has(letter)) {
		return '\\'
	}
	p.pos += 2
	return letter % 32
}

// hex reads a number of digits. If they are missing, the letter that asks for them is a literal.
func (p *scriptParser) hex(letter rune, digits int) rune {
	value := rune(0)
	for i := range digits {
		digit, ok := hexValue(p.peekAt(p.pos + i))
		if !ok {
			return letter
		}
		value = value<<4 | digit
	}
	p.pos += digits
	return value
}

// unicodeEscape reads the rest of \uXXXX, of two of them that form a surrogate pair, or of \u{X}.
func (p *scriptParser) unicodeEscape() rune {
	if p.peek() == '{' {
		return p.codePoint()
	}
	high := p.hex('u', 4)
	if high < 0xd800 || high > 0xdbff || !strings.HasPrefix(p.src[p.pos:], `\u`) {
		return high
	}
	back := p.pos
	p.pos += len(`\u`)
	low := p.hex('u', 4)
	if low < 0xdc00 || low > 0xdfff {
		p.pos = back
		return high
	}
	return (high-0xd800)<<10 + (low - 0xdc00) + 0x10000
}

func (p *scriptParser) codePoint() rune {
	at := p.pos
	digits, _, closed := strings.Cut(p.src[p.pos+1:], "}")
	value := rune(0)
	for _, c := range digits {
		digit, ok := hexValue(c)
		if !ok {
			closed = false
			break
		}
		value = min(value<<4|digit, utf8.MaxRune+1)
	}
	if !closed || digits == "" {
		return 'u'
	}
	if value > utf8.MaxRune {
		p.fail(at, "hexadecimal literal is not a Unicode scalar value")
		return 0
	}
	p.pos += len(digits) + len("{}")
	return value
}

func (p *scriptParser) unicodeClass(a atom) atom {
	a.kind = atomClass
	negated := p.peek() == 'P'
	p.bump()
	name, _, closed := strings.Cut(p.src[p.pos+1:], "}")
	found, ok := set(nil), false
	if closed {
		found, ok = classOf(name)
	}
	if !ok {
		p.fail(a.at, "Unicode property not found")
		return a
	}
	p.spend(found)
	p.pos += len(name) + len("{}")
	if a.set = found; negated {
		a.set = anyRune.minus(found)
	}
	return a
}

// bracketed reads a class. An empty class matches nothing, and [^] anything.
func (p *scriptParser) bracketed() *node {
	at := p.pos
	p.bump()
	negated := p.accept("^")
	var spans []span
	p.inClass = true
	defer func() { p.inClass = false }()
	for p.peek() != ']' {
		if p.eof() {
			p.fail(at, errClass)
			return &node{kind: nodeEmpty, at: at}
		}
		spans = append(spans, p.classRange()...)
	}
	p.bump()
	n := p.class(at, newSet(spans...))
	n.depth = 1
	if negated {
		n.set = anyRune.minus(n.set)
		p.spend(n.set)
	}
	return n
}

// classRange reads a character, a range, or something like a range with a class at an end, which is three items.
func (p *scriptParser) classRange() set {
	at := p.pos
	first := p.classAtom()
	if p.peek() != '-' || p.peekAt(p.pos+1) == ']' || p.peekAt(p.pos+1) == endOfPattern {
		return first.asSet()
	}
	p.bump()
	last := p.classAtom()
	if first.kind == atomClass || last.kind == atomClass {
		return first.asSet().union(single('-'), last.asSet())
	}
	if first.r > last.r {
		p.fail(at, errOrder)
		return nil
	}
	return set{{first.r, last.r}}
}

func (p *scriptParser) classAtom() atom {
	a := atom{at: p.pos, r: p.peek()}
	switch {
	case a.r != '\\':
		p.bump()
		return a
	case p.accept(`\b`):
		a.r = '\b'
		return a
	}
	a = p.escape()
	if a.kind == atomClass {
		p.spend(a.set)
	}
	return a
}

func (a atom) asSet() set {
	if a.kind == atomClass {
		return a.set
	}
	return single(a.r)
}
