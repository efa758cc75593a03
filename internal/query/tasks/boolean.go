package tasks

import (
	"regexp"
	"strings"
)

var booleanLine = regexp.MustCompile(`(AND|OR|XOR|NOT)\s*[("\[{]|^\s*[(\["{].*[)\]"}]\s*$|^\s*[("\[{]`)

// looksBoolean reports whether a line combines filters.
func looksBoolean(line string) bool { return booleanLine.MatchString(line) }

// boolean reads filters in delimiters, with operators between them. A line has one kind of delimiters.
func (c Context) boolean(line string) (filter, *problem) {
	p := &booleanReader{context: c, rest: strings.TrimSpace(line)}
	if at := strings.IndexAny(p.rest, `("[{`); at >= 0 {
		p.open = p.rest[at]
		p.close = map[byte]byte{'(': ')', '"': '"', '[': ']', '{': '}'}[p.open]
	}
	keep := p.or()
	if p.script != nil {
		return nil, p.script
	}
	if p.failed || p.rest != "" {
		return nil, &problem{BadBoolean, "write filters in one kind of brackets, with AND, OR, XOR and NOT between them"}
	}
	return keep, nil
}

// booleanReader reads a combination of filters. NOT binds the most, then XOR, AND and OR.
type booleanReader struct {
	context     Context
	rest        string
	open, close byte
	failed      bool
	depth       int
	script      *problem // a filter that is JavaScript
}

// word reads an operator.
func (p *booleanReader) word(name string) bool {
	rest, ok := strings.CutPrefix(p.rest, name)
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' && rest[0] != p.open && rest[0] != p.close {
		return false
	}
	p.rest = strings.TrimSpace(rest)
	return true
}

func (p *booleanReader) or() filter {
	left := p.and()
	for !p.failed && p.word("OR") {
		a, b := left, p.and()
		left = func(item *row) bool { return a(item) || b(item) }
	}
	return left
}

func (p *booleanReader) and() filter {
	left := p.xor()
	for !p.failed && p.word("AND") {
		a, b := left, p.xor()
		left = func(item *row) bool { return a(item) && b(item) }
	}
	return left
}

func (p *booleanReader) xor() filter {
	left := p.not()
	for !p.failed && p.word("XOR") {
		a, b := left, p.not()
		left = func(item *row) bool { return a(item) != b(item) }
	}
	return left
}

// maxDepth bounds how deep filters are nested.
const maxDepth = 200

func (p *booleanReader) not() filter {
	if p.depth++; p.depth > maxDepth {
		p.failed = true
		return func(*row) bool { return false }
	}
	defer func() { p.depth-- }()
	if p.word("NOT") {
		keep := p.not()
		return func(item *row) bool { return !keep(item) }
	}
	return p.operand()
}

// operand reads a filter in delimiters, or a combination of them.
func (p *booleanReader) operand() filter {
	fail := func() filter {
		p.failed = true
		return func(*row) bool { return false }
	}
	if p.rest == "" || p.rest[0] != p.open {
		return fail()
	}
	p.rest = strings.TrimSpace(p.rest[1:])
	var keep filter
	isNested := p.open != '"' && p.rest != "" && (p.rest[0] == p.open || strings.HasPrefix(p.rest, "NOT"))
	if isNested {
		keep = p.or()
	} else {
		end := strings.IndexByte(p.rest, p.close)
		if end < 0 {
			return fail()
		}
		inner, problem := p.context.filter(strings.TrimSpace(p.rest[:end]))
		if problem != nil && problem.Kind == JavaScript {
			p.script = problem
		}
		if problem != nil {
			return fail()
		}
		keep, p.rest = inner, p.rest[end:]
	}
	if p.failed || p.rest == "" || p.rest[0] != p.close {
		return fail()
	}
	p.rest = strings.TrimSpace(p.rest[1:])
	return keep
}
