package bases

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/query/value"
)

// expression is a parsed expression.
type expression interface {
	evaluate(r *rowScope) (value.Value, error)
}

type (
	literal  struct{ value value.Value }
	variable struct{ name string }
	member   struct {
		of   expression
		name string
	}
	element struct{ of, by expression }
	call    struct {
		name      string
		arguments []expression
	}
	method struct {
		of        expression
		name      string
		arguments []expression
	}
	unary struct {
		op string
		of expression
	}
	binary struct {
		op          string
		left, right expression
	}
	listOf   struct{ items []expression }
	objectOf struct {
		keys   []string
		values []expression
	}
)

// token is a part of an expression.
type token struct {
	kind tokenKind
	text string
	at   int
}

type tokenKind uint8

const (
	endToken tokenKind = iota
	nameToken
	numberToken
	textToken
	patternToken
	signToken
)

// maxDepth bounds how deeply expressions may be nested.
const maxDepth = 200

// parser reads an expression.
type parser struct {
	text  string
	at    int
	now   token
	depth int
	err   *Error
}

// parse reads an expression.
func parse(text string) (expression, error) {
	p := &parser{text: text}
	p.next(true)
	parsed := p.binary(0)
	if p.err == nil && p.now.kind != endToken {
		p.fail("expected an operator or the end of the expression, but there is %q", p.now.text)
	}
	if p.err != nil {
		return nil, p.err
	}
	return parsed, nil
}

func (p *parser) fail(format string, arguments ...any) {
	if p.err == nil {
		p.err = &Error{Column: utf8.RuneCountInString(p.text[:min(p.now.at, len(p.text))]) + 1, Reason: fmt.Sprintf(format, arguments...)}
	}
	p.now = token{kind: endToken, at: len(p.text)}
	p.at = len(p.text)
}

// signs are the operators and brackets, longer ones first.
var signs = []string{
	"&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "(", ")", "[", "]", "{", "}", ",", ".", ":",
}

// next reads the next token. A slash begins a pattern where an operand may stand.
func (p *parser) next(operand bool) {
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		if !unicode.IsSpace(r) {
			break
		}
		p.at += size
	}
	rest := p.text[p.at:]
	p.now = token{at: p.at}
	if rest == "" {
		return
	}
	first, _ := utf8.DecodeRuneInString(rest)
	switch {
	case first >= '0' && first <= '9':
		p.take(numberToken, numberLength(rest))
	case isNameRune(first, true):
		end := 0
		for i, r := range rest {
			if !isNameRune(r, i == 0) {
				break
			}
			end = i + utf8.RuneLen(r)
		}
		p.take(nameToken, end)
	case first == '"' || first == '\'':
		p.quoted(rest, byte(first))
	case first == '/' && operand:
		p.pattern(rest)
	default:
		for _, sign := range signs {
			if strings.HasPrefix(rest, sign) {
				p.take(signToken, len(sign))
				return
			}
		}
		p.fail("%q means nothing here", string(first))
	}
}

func (p *parser) take(kind tokenKind, length int) {
	p.now.kind, p.now.text = kind, p.text[p.at:p.at+length]
	p.at += length
}

func isNameRune(r rune, isFirst bool) bool {
	return unicode.IsLetter(r) || r == '_' || r == '$' || !isFirst && (unicode.IsDigit(r) || unicode.IsMark(r))
}

func numberLength(text string) int {
	digits := func(from int) int {
		for from < len(text) && text[from] >= '0' && text[from] <= '9' {
			from++
		}
		return from
	}
	end := digits(0)
	if end+1 < len(text) && text[end] == '.' && text[end+1] >= '0' && text[end+1] <= '9' {
		end = digits(end + 1)
	}
	if end < len(text) && (text[end] == 'e' || text[end] == 'E') {
		if after := digits(end + 1); after > end+1 {
			end = after
		}
	}
	return end
}

func (p *parser) quoted(rest string, quote byte) {
	var out strings.Builder
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == quote:
			p.now.kind, p.now.text = textToken, out.String()
			p.at += i + 1
			return
		case c == '\\' && i+1 < len(rest):
			i++
			if replaced, ok := escapes[rest[i]]; ok {
				out.WriteByte(replaced)
			} else {
				out.WriteByte(rest[i])
			}
		default:
			out.WriteByte(c)
		}
	}
	p.fail("the text has no closing quote")
}

var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v', '0': 0}

// pattern reads a regular expression with its flags.
func (p *parser) pattern(rest string) {
	isClass := false
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\\':
			i++
		case c == '[':
			isClass = true
		case c == ']':
			isClass = false
		case c == '/' && !isClass:
			end := i + 1
			for end < len(rest) && rest[end] >= 'a' && rest[end] <= 'z' {
				end++
			}
			p.take(patternToken, end)
			return
		}
	}
	p.fail("the regular expression has no closing /")
}

func (p *parser) is(sign string) bool { return p.now.kind == signToken && p.now.text == sign }

func (p *parser) expect(sign string, thenOperand bool) {
	if !p.is(sign) {
		found := "the expression ends"
		if p.now.kind != endToken {
			found = fmt.Sprintf("there is %q", p.now.text)
		}
		p.fail("expected %q, but %s", sign, found)
		return
	}
	p.next(thenOperand)
}

// levels are the binary operators from the weakest to the strongest.
var levels = [][]string{{"||"}, {"&&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%"}}

func (p *parser) binary(level int) expression {
	if level == len(levels) {
		return p.prefix()
	}
	left := p.binary(level + 1)
	for p.now.kind == signToken && slices.Contains(levels[level], p.now.text) {
		op := p.now.text
		p.next(true)
		left = binary{op, left, p.binary(level + 1)}
	}
	return left
}

func (p *parser) prefix() expression {
	if p.depth++; p.depth > maxDepth {
		p.fail("the expression is nested too deeply")
	}
	defer func() { p.depth-- }()
	if p.is("!") || p.is("-") {
		op := p.now.text
		p.next(true)
		return unary{op, p.prefix()}
	}
	return p.postfix(p.operand())
}

func (p *parser) postfix(of expression) expression {
	for {
		switch {
		case p.is("."):
			p.next(false)
			name := p.now.text
			if p.now.kind != nameToken {
				p.fail("expected a name after the dot")
				return of
			}
			p.next(false)
			if at := p.now; p.is("(") {
				of = method{of, name, p.arguments("(", ")")}
				if !isMethod(name) && p.err == nil {
					p.now = at
					p.fail("no function is named %q%s", name, fault.DidYouMean(name, methodNames()))
				}
			} else {
				of = member{of, name}
			}
		case p.is("["):
			p.next(true)
			of = element{of, p.binary(0)}
			p.expect("]", false)
		default:
			return of
		}
	}
}

// arguments reads expressions between brackets.
func (p *parser) arguments(open, end string) (all []expression) {
	p.expect(open, true)
	for !p.is(end) && p.err == nil {
		all = append(all, p.binary(0))
		if !p.is(end) {
			p.expect(",", true)
		}
	}
	p.expect(end, false)
	return all
}

func (p *parser) operand() expression {
	found := p.now
	switch {
	case found.kind == numberToken:
		p.next(false)
		number, err := strconv.ParseFloat(found.text, 64)
		if err != nil && number == 0 {
			p.fail("%q is not a number", found.text)
		}
		return literal{number}
	case found.kind == textToken:
		p.next(false)
		return literal{found.text}
	case found.kind == patternToken:
		p.next(false)
		pattern, err := newPattern(found.text)
		if err != nil {
			p.now = found
			p.fail("%v", err)
		}
		return literal{pattern}
	case found.kind == nameToken:
		p.next(false)
		return p.name(found.text)
	case p.is("("):
		p.next(true)
		inner := p.binary(0)
		p.expect(")", false)
		return inner
	case p.is("["):
		return listOf{p.arguments("[", "]")}
	case p.is("{"):
		return p.object()
	case found.kind == endToken:
		p.fail("the expression ends where a value is expected")
	default:
		p.fail("expected a value, but there is %q", found.text)
	}
	return literal{nil}
}

func (p *parser) name(name string) expression {
	switch name {
	case "true":
		return literal{true}
	case "false":
		return literal{false}
	case "null":
		return literal{nil}
	}
	if !p.is("(") {
		return variable{name}
	}
	at := p.now
	arguments := p.arguments("(", ")")
	if _, known := functions[name]; !known && p.err == nil {
		p.now = at
		p.fail("no function is named %q%s", name, fault.DidYouMean(name, functionNames()))
	}
	return call{name, arguments}
}

func (p *parser) object() expression {
	var read objectOf
	p.expect("{", true)
	for !p.is("}") && p.err == nil {
		if p.now.kind != nameToken && p.now.kind != textToken {
			p.fail("expected a key")
			break
		}
		read.keys = append(read.keys, p.now.text)
		p.next(false)
		p.expect(":", true)
		read.values = append(read.values, p.binary(0))
		if !p.is("}") {
			p.expect(",", true)
		}
	}
	p.expect("}", false)
	return read
}
