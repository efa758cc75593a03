package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/regex"
)

// parser reads a query from left to right.
type parser struct {
	text       string
	pos, end   int
	depth      int
	parts      int
	matchCase  bool
	inProperty bool // where operators and brackets are text
	plain      bool // only words so far
	regexes    []*Regex
	limit      *regex.Limit
}

// alternatives reads what OR separates, up to but not including the closing byte, or to the end. It returns nil if
// there is nothing.
func (p *parser) alternatives(closing byte) (Node, error) {
	var either, all []Node
	for p.skipSpace(); !p.atEnd(closing); p.skipSpace() {
		if len(all) > 0 && p.atOR(closing) {
			either = append(either, joinAll(all))
			all = nil
			p.pos += len("OR")
			p.plain = false
			continue
		}
		node, err := p.unary()
		if err != nil {
			return nil, err
		}
		all = append(all, node)
	}
	if len(either) == 0 {
		return joinAll(all), nil
	}
	return &Or{append(either, joinAll(all))}, nil
}

func joinAll(nodes []Node) Node {
	switch len(nodes) {
	case 0:
		return nil
	case 1:
		return nodes[0]
	}
	return &And{nodes}
}

func (p *parser) atEnd(closing byte) bool {
	return p.pos == p.end || closing != 0 && p.text[p.pos] == closing
}

// atOR reports whether there is an OR with something after it. Otherwise OR is a word, as it is with nothing before
// it.
func (p *parser) atOR(closing byte) bool {
	rest := p.text[p.pos:p.end]
	if !strings.HasPrefix(rest, "OR") {
		return false
	}
	after := strings.TrimLeftFunc(rest[2:], unicode.IsSpace)
	if after == "" || after[0] == ')' || after[0] == closing {
		return false
	}
	return len(after) < len(rest)-2 || after[0] == '('
}

// unary reads a part, with or without a minus.
func (p *parser) unary() (Node, error) {
	start := p.pos
	p.parts++
	p.depth++
	defer func() { p.depth-- }()
	switch {
	case p.depth > MaxDepth:
		return nil, p.fail(start, "the query is nested too deeply, more than %d levels", MaxDepth)
	case p.parts > MaxParts:
		return nil, p.fail(start, "the query has more than %d parts", MaxParts)
	}
	if p.text[p.pos] != '-' || !p.operandAt(p.pos+1) {
		return p.atom()
	}
	p.pos++
	p.plain = false
	node, err := p.atom()
	if err != nil {
		return nil, err
	}
	return &Not{node}, nil
}

// operandAt reports whether an operand starts at an offset.
func (p *parser) operandAt(at int) bool {
	if at >= p.end || p.text[at] == ')' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(p.text[at:p.end])
	return !unicode.IsSpace(r)
}

func (p *parser) atom() (Node, error) {
	switch p.text[p.pos] {
	case '(':
		return p.group()
	case ')':
		return nil, p.fail(p.pos, "a ) without a ( before it; to search for it, put it in quotes")
	case '"':
		if end := p.quoteEnd(p.pos); end > 0 {
			return p.phrase(end), nil
		}
	case '/':
		if end := p.regexEnd(p.pos); end > 0 {
			return p.regex(end)
		}
	case '[':
		if end := p.bracketEnd(p.pos); end > 0 {
			return p.property(end)
		}
	}
	if !p.inProperty {
		if name, op := p.operator(); op != nil {
			return p.operand(name, op)
		}
	} else if p.text[p.pos] == '<' || p.text[p.pos] == '>' || p.comparesEqual() {
		return p.comparison()
	}
	return p.word(), nil
}

func (p *parser) group() (Node, error) {
	start := p.pos
	p.pos++
	p.plain = false
	node, err := p.alternatives(')')
	switch {
	case err != nil:
		return nil, err
	case p.pos == p.end:
		return nil, p.fail(start, "a ( that is not closed; to search for it, put it in quotes")
	case node == nil:
		return nil, p.fail(start, "nothing between the parentheses")
	}
	p.pos++
	return node, nil
}

func (p *parser) phrase(end int) Node {
	text := unescape.Replace(p.text[p.pos+1 : end])
	p.pos = end + 1
	p.plain = false
	return newPhrase(text, p.matchCase)
}

var unescape = strings.NewReplacer(`\\`, `\`, `\"`, `"`)

func (p *parser) regex(end int) (Node, error) {
	start := p.pos + 1
	if len(p.regexes) == MaxRegexes {
		return nil, p.fail(p.pos, "more than %d regular expressions in one query", MaxRegexes)
	}
	source := p.text[start:end]
	options := regex.Options{Dialect: regex.JavaScript, IgnoreCase: !p.matchCase, Limit: p.limit}
	pattern, err := regex.Compile(source, options)
	if err != nil {
		at := start
		if wrong, ok := err.(*regex.Error); ok {
			at += min(max(wrong.Offset, 0), len(source))
		}
		return nil, p.fail(at, "in the regular expression: %v", err)
	}
	p.pos = end + 1
	p.plain = false
	node := &Regex{Pattern: pattern, Source: source, Case: p.matchCase, number: len(p.regexes)}
	p.regexes = append(p.regexes, node)
	return node, nil
}

func (p *parser) word() Node {
	end := p.wordEnd()
	text := p.text[p.pos:end]
	p.pos = end
	if p.inProperty && strings.EqualFold(text, "null") {
		return &Null{}
	}
	return newWord(text, p.matchCase)
}

func (p *parser) skipSpace() {
	rest := p.text[p.pos:p.end]
	p.pos += len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
}

// fail returns an error whose message shows what is wrong, the query around the offset, and a caret under it.
func (p *parser) fail(at int, format string, args ...any) error {
	character := utf8.RuneCountInString(p.text[:at]) + 1
	shown := (&regex.Error{Offset: at}).Pointer(p.text)
	args = append(args, character, strings.ReplaceAll(shown, "\n", "\n  "))
	return fault.InvalidArgument.Errorf(format+", at character %d of the query:\n  %s", args...)
}
