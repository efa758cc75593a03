package regex

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// atom is what an escape stands for.
type atom struct {
	kind atomKind
	at   int
	r    rune // atomLiteral, atomByte
	set  set  // atomClass
	look look // atomLook
}

type atomKind uint8

const (
	atomLiteral atomKind = iota
	atomByte             // \xFF without Unicode
	atomClass
	atomLook
)

func (p *rustParser) escapeNode() *node {
	switch a := p.escape(); a.kind {
	case atomByte:
		return &node{kind: nodeBytes, at: a.at, set: single(a.r)}
	case atomClass:
		return p.class(a.at, a.set)
	case atomLook:
		return &node{kind: nodeLook, at: a.at, look: a.look}
	default:
		return p.literal(a.at, a.r)
	}
}

// escape reads a backslash and what follows.
func (p *rustParser) escape() atom {
	a := atom{at: p.pos}
	p.bump()
	c := p.peek()
	switch {
	case c == endOfPattern:
		p.fail(a.at, errEscape)
	case '0' <= c && c <= '9':
		p.fail(a.at, errReference)
	case c == 'x' || c == 'u' || c == 'U':
		return p.hex(a)
	case c == 'p' || c == 'P':
		return p.unicodeClass(a)
	case strings.ContainsRune("dswDSW", c):
		p.bump()
		return p.perlClass(a, c)
	case c < utf8.RuneSelf && !isLetter(c) && c != '<' && c != '>':
		p.bump()
		a.r = c
	default:
		p.bump()
		return p.letterEscape(a, c)
	}
	return a
}

func isLetter(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func (p *rustParser) letterEscape(a atom, c rune) atom {
	if i := strings.IndexRune("aftnrv", c); i >= 0 {
		a.r = rune("\a\f\t\n\r\v"[i])
		return a
	}
	a.kind = atomLook
	switch c {
	case 'A':
		a.look = lookLineStart
	case 'z':
		a.look = lookLineEnd
	case 'B':
		a.look = lookNotBoundary
	case '<':
		a.look = lookWordStart
	case '>':
		a.look = lookWordEnd
	case 'b':
		a.look = lookBoundary
		if p.peek() == '{' {
			a.look = p.namedBoundary(a.at)
		}
	default:
		p.fail(a.at, "unrecognized escape sequence")
	}
	if p.flags.ascii && a.look >= lookBoundary {
		a.look -= lookBoundary - lookBoundaryASCII
	}
	return a
}

// namedBoundary reads the braces of \b{start}. Braces without a name are a repetition, and are not read.
func (p *rustParser) namedBoundary(at int) look {
	open := p.pos
	if !p.advance() {
		p.fail(at, "\\b is followed by an opening brace, but no closing brace")
		return lookBoundary
	}
	isNamed := func(c rune) bool { return isLetter(c) || c == '-' }
	if !isNamed(p.peek()) {
		p.pos = open
		return lookBoundary
	}
	var name strings.Builder
	for isNamed(p.peek()) {
		name.WriteRune(p.peek())
		p.advance()
	}
	if p.peek() != '}' {
		p.fail(open, "special word boundary assertion is either unclosed or contains an invalid character")
		return lookBoundary
	}
	p.bump()
	switch name.String() {
	case "start":
		return lookWordStart
	case "end":
		return lookWordEnd
	case "start-half":
		return lookWordStartHalf
	case "end-half":
		return lookWordEndHalf
	}
	p.fail(open+1, "unrecognized special word boundary assertion, valid choices are: start, end, start-half or end-half")
	return lookBoundary
}

// hex reads the rest of \x, \u or \U: a fixed number of digits, or any number in braces.
func (p *rustParser) hex(a atom) atom {
	letter := p.peek()
	if !p.advance() {
		p.fail(a.at, errEscape)
		return a
	}
	if p.peek() == '{' {
		a.r = p.hexBraces(a.at)
		return a
	}
	digits := map[rune]int{'x': 2, 'u': 4, 'U': 8}[letter]
	value := int64(0)
	for i := range digits {
		if i > 0 && !p.advance() {
			p.fail(a.at, errEscape)
			return a
		}
		digit, ok := hexValue(p.peek())
		if !ok {
			p.fail(p.pos, "invalid hexadecimal digit")
			return a
		}
		value = value<<4 | int64(digit)
	}
	p.advance()
	a.r = p.scalar(a.at, value)
	if letter == 'x' && p.flags.ascii && a.r >= 0x80 {
		a.kind = atomByte
	}
	return a
}

func (p *rustParser) hexBraces(at int) rune {
	value, digits := int64(0), 0
	for p.advance() && p.peek() != '}' {
		digit, ok := hexValue(p.peek())
		if !ok {
			p.fail(p.pos, "invalid hexadecimal digit")
			return 0
		}
		value = min(value<<4|int64(digit), 1<<40)
		digits++
	}
	switch {
	case p.eof():
		p.fail(at, errEscape)
	case digits == 0:
		p.fail(at, "hexadecimal literal empty")
	}
	p.advance()
	return p.scalar(at, value)
}

func (p *rustParser) scalar(at int, value int64) rune {
	if value > unicode.MaxRune || !utf8.ValidRune(rune(value)) {
		p.fail(at, "hexadecimal literal is not a Unicode scalar value")
		return 0
	}
	return rune(value)
}

func (p *rustParser) perlClass(a atom, letter rune) atom {
	a.kind = atomClass
	key := string(letter)
	if p.flags.ascii {
		key += " of ASCII"
	}
	a.set = p.remembered(key, func() set {
		s := p.perlSet(letter)
		if letter < 'a' {
			return p.everything().minus(s)
		}
		return s
	})
	return a
}

// perlSet returns \d, \s or \w, with or without Unicode.
func (p *rustParser) perlSet(letter rune) set {
	switch letter | 0x20 {
	case 'd':
		if p.flags.ascii {
			return asciiDigit
		}
		return digitSet()
	case 's':
		if p.flags.ascii {
			return asciiSpace
		}
		return spaceSet()
	}
	if p.flags.ascii {
		return asciiWord
	}
	return wordSet()
}

// remembered computes a set once per key and shares it throughout the pattern.
func (p *rustParser) remembered(key string, compute func() set) set {
	s, ok := p.sets[key]
	if !ok {
		if p.sets == nil {
			p.sets = map[string]set{}
		}
		s = compute()
		p.sets[key] = s
	}
	return s
}

// unicodeClass reads \pL or \p{…}, or the same with P.
func (p *rustParser) unicodeClass(a atom) atom {
	a.kind = atomClass
	negated := p.peek() == 'P'
	if !p.advance() {
		p.fail(a.at, errEscape)
		return a
	}
	var name strings.Builder
	switch p.peek() {
	case '{':
		for p.advance() && p.peek() != '}' {
			name.WriteRune(p.peek())
		}
		if p.eof() {
			p.fail(a.at, errEscape)
		}
		p.bump()
	case '\\':
		p.fail(p.pos, "invalid Unicode character class")
	default:
		name.WriteRune(p.peek())
		p.advance()
	}
	if p.err != nil {
		return a
	}
	if p.flags.ascii {
		p.fail(a.at, "Unicode not allowed here")
		return a
	}
	found, ok := p.sets[name.String()+" of Unicode"]
	if !ok {
		if found, ok = classOf(name.String()); !ok {
			p.fail(a.at, "Unicode property not found")
			return a
		}
		p.remembered(name.String()+" of Unicode", func() set { return found })
	}
	a.set = p.remembered(fmt.Sprint(name.String(), p.fold, negated), func() set { return p.finished(found, negated) })
	return a
}
