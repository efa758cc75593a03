package dataview

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseExpression reads a single expression.
func ParseExpression(text string, clock Clock) (Expression, error) {
	p := parser{text: text, clock: clock}
	if expression, ok := p.field(); ok {
		if p.at == len(text) {
			return expression, nil
		}
		p.fail("an operator or the end of the expression")
	}
	return nil, p.syntaxError()
}

// field reads any expression.
func (p *parser) field() (Expression, bool) {
	if p.depth >= maxDepth {
		p.fail("an expression that is nested less deeply")
		return nil, false
	}
	p.depth++
	defer func() { p.depth-- }()
	return p.chain(0)
}

// levels are the binary operators from the weakest to the strongest. Longer ones come before those that they start with.
var levels = [][]operator{
	{"and", "or", "&", "|"},
	{">=", "<=", "!=", ">", "<", "="},
	{"+", "-"},
	{"*", "/", "%"},
}

// chain reads operands with operators of a level between them, which group from the left.
func (p *parser) chain(level int) (Expression, bool) {
	if level == len(levels) {
		return p.postfix()
	}
	left, ok := p.chain(level + 1)
	if !ok {
		return nil, false
	}
	for p.attempt(func() bool {
		p.blanks()
		op, found := p.operator(levels[level])
		if !found {
			return false
		}
		p.blanks()
		right, found := p.chain(level + 1)
		if found {
			left = binary{op, left, right}
		}
		return found
	}) {
	}
	return left, true
}

func (p *parser) operator(choices []operator) (operator, bool) {
	for _, choice := range choices {
		if len(p.rest()) >= len(choice) && strings.EqualFold(p.rest()[:len(choice)], string(choice)) {
			p.at += len(choice)
			switch choice {
			case "and":
				return "&", true
			case "or":
				return "|", true
			}
			return choice, true
		}
	}
	p.fail("an operator")
	return "", false
}

// postfix reads an operand and what is written behind it: .name, [index], (arguments).
func (p *parser) postfix() (Expression, bool) {
	result, ok := p.atom()
	if !ok {
		return nil, false
	}
	for {
		switch {
		case p.attempt(func() bool {
			if !p.literally(".") {
				return false
			}
			name, ok := p.identifier()
			if ok {
				result = index{result, literal{name}}
			}
			return ok
		}):
		case p.attempt(func() bool {
			by, ok := p.bracketed("[", "]")
			if ok {
				result = index{result, by}
			}
			return ok
		}):
		case p.attempt(func() bool {
			arguments, ok := p.items("(", ")")
			if ok {
				result = call{result, arguments}
			}
			return ok
		}):
		default:
			return result, true
		}
	}
}

// bracketed reads an expression between brackets.
func (p *parser) bracketed(open, end string) (inner Expression, ok bool) {
	ok = p.attempt(func() bool {
		if !p.literally(open) {
			return false
		}
		p.blanks()
		if inner, ok = p.field(); !ok {
			return false
		}
		p.blanks()
		return p.literally(end)
	})
	return inner, ok
}

// items reads expressions between brackets, with commas between them.
func (p *parser) items(open, end string) (all []Expression, ok bool) {
	ok = p.attempt(func() bool {
		if !p.literally(open) {
			return false
		}
		p.blanks()
		p.separated(func() bool {
			item, ok := p.field()
			if ok {
				all = append(all, item)
			}
			return ok
		})
		p.blanks()
		return p.literally(end)
	})
	return all, ok
}

// atom reads an operand.
func (p *parser) atom() (Expression, bool) {
	if link, ok := p.embed(); ok {
		return literal{link}, true
	}
	for _, read := range []func() (Expression, bool){
		p.negation, p.list, p.object, p.lambda, func() (Expression, bool) { return p.bracketed("(", ")") },
		p.boolean, p.numeric, p.quoted, p.dateLiteral, p.durationLiteral, p.null, p.variable,
	} {
		if result, ok := read(); ok {
			return result, true
		}
	}
	p.fail("an expression")
	return nil, false
}

func (p *parser) negation() (result Expression, ok bool) {
	ok = p.attempt(func() bool {
		if !p.literally("!") {
			return false
		}
		of, ok := p.postfix()
		result = negation{of}
		return ok
	})
	return result, ok
}

func (p *parser) list() (Expression, bool) {
	items, ok := p.items("[", "]")
	return listOf{items}, ok
}

func (p *parser) object() (Expression, bool) {
	var result objectOf
	places := map[string]int{} // of the names
	ok := p.attempt(func() bool {
		if !p.literally("{") {
			return false
		}
		p.blanks()
		p.separated(func() bool {
			return p.attempt(func() bool {
				key, ok := p.identifier()
				if !ok {
					key, ok = p.quotedText()
				}
				if !ok || !p.around(":") {
					return false
				}
				item, ok := p.field()
				if !ok {
					return false
				}
				if at, isKnown := places[key]; isKnown {
					result.values[at] = item // the last of several with the same name counts
					return true
				}
				places[key] = len(result.keys)
				result.keys, result.values = append(result.keys, key), append(result.values, item)
				return true
			})
		})
		p.blanks()
		return p.literally("}")
	})
	return result, ok
}

func (p *parser) lambda() (result Expression, ok bool) {
	var read lambda
	ok = p.attempt(func() bool {
		if !p.around("(") {
			return false
		}
		p.separated(func() bool {
			name, ok := p.identifier()
			if ok {
				read.names = append(read.names, name)
			}
			return ok
		})
		if !p.around(")") || !p.around("=>") {
			return false
		}
		body, ok := p.field()
		read.body = body
		return ok
	})
	return read, ok
}

func (p *parser) boolean() (Expression, bool) {
	on, ok := p.truth()
	return literal{on}, ok
}

// truth reads true or false; what follows does not matter.
func (p *parser) truth() (on, ok bool) {
	for _, word := range []string{"true", "True", "false", "False"} {
		if strings.HasPrefix(p.rest(), word) {
			p.at += len(word)
			return word[0] == 't' || word[0] == 'T', true
		}
	}
	return false, false
}

func (p *parser) numeric() (Expression, bool) {
	n, ok := p.number()
	return literal{n}, ok
}

func (p *parser) number() (float64, bool) {
	text := p.rest()
	end := 0
	if strings.HasPrefix(text, "-") {
		end = 1
	}
	digits := countDigits(text[end:])
	if digits == 0 {
		p.fail("a number")
		return 0, false
	}
	end += digits
	if end < len(text) && text[end] == '.' {
		if more := countDigits(text[end+1:]); more > 0 {
			end += 1 + more
		}
	}
	n, err := strconv.ParseFloat(text[:end], 64)
	if err != nil && n == 0 {
		return 0, false
	}
	p.at += end
	return n, true
}

func countDigits(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

func (p *parser) quoted() (Expression, bool) {
	text, ok := p.quotedText()
	return literal{text}, ok
}

// quotedText reads a text in double quotes. A backslash escapes a quote and a backslash, and is itself otherwise.
func (p *parser) quotedText() (string, bool) {
	text := p.rest()
	if !strings.HasPrefix(text, `"`) {
		p.fail("a text in quotes")
		return "", false
	}
	var out strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			p.at += i + 1
			return out.String(), true
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] != '"' && text[i] != '\\' {
				out.WriteByte('\\')
			}
			out.WriteByte(text[i])
		default:
			out.WriteByte(c)
		}
	}
	p.fail("a closing quote")
	return "", false
}

func (p *parser) null() (Expression, bool) { return literal{nil}, p.literally("null") }

// keywords are not variables.
var keywords = []string{"FROM", "WHERE", "LIMIT", "GROUP", "FLATTEN"}

func (p *parser) variable() (Expression, bool) {
	start := p.at
	name, ok := p.identifier()
	if !ok {
		return nil, false
	}
	for _, keyword := range keywords {
		if strings.EqualFold(name, keyword) {
			p.at = start
			p.fail("an expression, not the keyword " + keyword + `; row["` + name + `"] is a field of this name`)
			return nil, false
		}
	}
	return variable{name}, true
}

// identifier reads a name: a letter or an emoji, then letters, digits, emoji, _ and -.
func (p *parser) identifier() (string, bool) {
	text := p.rest()
	end := 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		switch {
		case unicode.IsLetter(r):
		case end > 0 && (r >= '0' && r <= '9' || r == '_' || r == '-'):
		default:
			if size = emojiAt(text[end:]); size == 0 {
				if end == 0 {
					p.fail("a name")
				}
				p.at += end
				return text[:end], end > 0
			}
		}
		end += size
	}
	p.at += end
	if end == 0 {
		p.fail("a name")
	}
	return text[:end], end > 0
}
