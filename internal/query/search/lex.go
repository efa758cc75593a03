package search

import (
	"strings"
	"unicode"
)

// quoteEnd returns the offset of the quote that closes the one at an offset, or 0.
func (p *parser) quoteEnd(at int) int {
	for i := at + 1; i < p.end; i++ {
		switch p.text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return 0
}

// regexEnd returns the offset of the slash that closes the one at an offset, or 0. As in JavaScript, a slash in a
// character class does not close it, and // is empty and therefore not an expression.
func (p *parser) regexEnd(at int) int {
	inClass := false
	for i := at + 1; i < p.end; i++ {
		switch p.text[i] {
		case '\\':
			i++
		case '[':
			inClass = true
		case ']':
			inClass = false
		case '/':
			if i == at+1 {
				return 0
			}
			if !inClass {
				return i
			}
		}
	}
	return 0
}

// bracketEnd returns the offset of the bracket that closes the one at an offset, or 0 if the brackets are text: not
// closed, empty, a link [[…]], or inside of a property.
func (p *parser) bracketEnd(at int) int {
	if p.inProperty || strings.HasPrefix(p.text[at+1:p.end], "[") {
		return 0
	}
	open := 1
	for i := at + 1; i < p.end; i++ {
		switch c := p.text[i]; {
		case c == '"':
			i = max(i, p.quoteEnd(i))
		case c == '/' && strings.IndexByte(" :(-", p.text[i-1]) >= 0:
			i = max(i, p.regexEnd(i))
		case c == '[':
			open++
		case c == ']':
			if open--; open > 0 {
				continue
			}
			if strings.TrimSpace(p.text[at+1:i]) == "" {
				return 0
			}
			return i
		}
	}
	return 0
}

// wordEnd returns where the word at the current position ends: before a space, or before a parenthesis without a
// partner in the word. print(x) is a single word.
func (p *parser) wordEnd() int {
	open := 0
	for i, r := range p.text[p.pos:p.end] {
		switch at := p.pos + i; {
		case unicode.IsSpace(r):
			return at
		case r == '(':
			if open == 0 && !p.closesInWord(at) {
				return at
			}
			open++
		case r == ')':
			if open == 0 {
				return at
			}
			open--
		}
	}
	return p.end
}

// closesInWord reports whether a parenthesis is closed before the next space.
func (p *parser) closesInWord(at int) bool {
	open := 0
	for _, r := range p.text[at:p.end] {
		switch {
		case unicode.IsSpace(r):
			return false
		case r == '(':
			open++
		case r == ')':
			if open--; open == 0 {
				return true
			}
		}
	}
	return false
}

// operator returns the operator at the current position and its name, in any letter case; nil if there is none.
func (p *parser) operator() (string, *operator) {
	colon := strings.IndexByte(p.text[p.pos:min(p.end, p.pos+longestOperator+1)], ':')
	if colon <= 0 {
		return "", nil
	}
	name := strings.ToLower(p.text[p.pos : p.pos+colon])
	found, ok := operators[name]
	if !ok {
		return "", nil
	}
	return name, &found
}
