package dataview

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"obsidian-mcp/internal/query/value"
)

// SyntaxError says where a text cannot be understood.
type SyntaxError struct {
	Line, Column int // from 1; columns count characters
	Expected     string
	Found        string // what is there instead; "" at the end of the text
}

func (e *SyntaxError) Error() string {
	found := "the text ends"
	if e.Found != "" {
		found = fmt.Sprintf("there is %q", e.Found)
	}
	return fmt.Sprintf("line %d, column %d: expected %s, but %s", e.Line, e.Column, e.Expected, found)
}

// maxDepth bounds how deeply expressions and sources may be nested.
const maxDepth = 200

// parser reads a text. A method that does not find what it is named after returns false and leaves the parser where it
// was. As in the plugin, the first alternative that fits is taken, without looking at what follows.
type parser struct {
	text     string
	at       int
	clock    Clock
	depth    int
	furthest int // where the longest attempt failed
	expected string
}

// fail notes what would have been needed at this place.
func (p *parser) fail(expected string) {
	if p.at > p.furthest || p.expected == "" {
		p.furthest, p.expected = p.at, expected
	}
}

// syntaxError describes the longest attempt.
func (p *parser) syntaxError() error {
	before := p.text[:p.furthest]
	found := p.text[p.furthest:]
	if end := strings.IndexAny(found, " \t\r\n"); end > 0 {
		found = found[:end]
	}
	if len(found) > 40 {
		found = found[:40]
	}
	return &SyntaxError{
		Line:     strings.Count(before, "\n") + 1,
		Column:   utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1,
		Expected: p.expected,
		Found:    strings.ToValidUTF8(strings.TrimSpace(found), ""),
	}
}

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

func (p *parser) rest() string { return p.text[p.at:] }

// literally reads an exact text.
func (p *parser) literally(text string) bool {
	if !strings.HasPrefix(p.rest(), text) {
		p.fail(strconv.Quote(text))
		return false
	}
	p.at += len(text)
	return true
}

// word reads one of some texts, whatever its letter case; the first that fits.
func (p *parser) word(words ...string) (string, bool) {
	for _, word := range words {
		if len(p.rest()) >= len(word) && strings.EqualFold(p.rest()[:len(word)], word) {
			p.at += len(word)
			return word, true
		}
	}
	p.fail(strings.Join(words, " or "))
	return "", false
}

// blanks skips white space and reports whether there was any.
func (p *parser) blanks() bool {
	start := p.at
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.rest())
		if !unicode.IsSpace(r) && r != '\uFEFF' {
			break
		}
		p.at += size
	}
	return p.at > start
}

// attempt runs a reader and goes back to where it began if it fails.
func (p *parser) attempt(read func() bool) bool {
	start := p.at
	if read() {
		return true
	}
	p.at = start
	return false
}

// around reads a text with white space around it.
func (p *parser) around(text string) bool {
	return p.attempt(func() bool {
		p.blanks()
		if !p.literally(text) {
			return false
		}
		p.blanks()
		return true
	})
}

// separated reads items with commas between them.
func (p *parser) separated(item func() bool) (count int) {
	if !item() {
		return 0
	}
	for count = 1; p.attempt(func() bool { return p.around(",") && item() }); count++ {
	}
	return count
}

// --- expressions

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
				if ok {
					result.keys, result.values = append(result.keys, key), append(result.values, item)
				}
				return ok
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

// embed reads a link or an embed.
func (p *parser) embed() (value.Link, bool) {
	text := strings.TrimPrefix(p.rest(), "!")
	inner, ok := strings.CutPrefix(text, "[[")
	end := strings.IndexAny(inner, "[]")
	if !ok || end < 0 || !strings.HasPrefix(inner[end:], "]]") {
		return value.Link{}, false
	}
	link := innerLink(inner[:end])
	link.Embed = len(text) < len(p.rest())
	p.at = len(p.text) - len(inner) + end + len("]]")
	return link, true
}

// innerLink reads what stands between the brackets of a link.
func innerLink(inner string) value.Link {
	target, display := inner, ""
	for at := 0; at < len(inner); at++ {
		if inner[at] == '|' && (at == 0 || inner[at-1] != '\\') {
			target, display = inner[:at], inner[at+1:]
			break
		}
	}
	link := LinkTo(strings.ReplaceAll(target, `\|`, "|"))
	link.Display = display
	return link
}

// LinkTo reads the target of a link: a path, and perhaps a heading or a block.
func LinkTo(target string) value.Link {
	if path, block, ok := strings.Cut(target, "#^"); ok {
		block, _, _ = strings.Cut(block, "#^")
		return value.Link{Path: path, Kind: value.ToBlock, Subpath: block}
	}
	if path, heading, ok := strings.Cut(target, "#"); ok {
		heading, _, _ = strings.Cut(heading, "#")
		return value.Link{Path: path, Kind: value.ToHeader, Subpath: linkableHeading(heading)}
	}
	return value.FileLink(target)
}

// linkableHeading is the form of a heading in links: words with single blanks between them.
func linkableHeading(heading string) string {
	var out strings.Builder
	for i := 0; i < len(heading); {
		r, size := utf8.DecodeRuneInString(heading[i:])
		if emoji := emojiAt(heading[i:]); emoji > 0 {
			out.WriteString(heading[i : i+emoji])
			i += emoji
			continue
		}
		if unicode.IsLetter(r) || r >= '0' && r <= '9' || r == '_' || r == '-' {
			out.WriteRune(r)
		} else {
			out.WriteByte(' ')
		}
		i += size
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// emojiAt returns the length of the emoji that a text starts with, with all that is joined to it; 0 if there is none.
func emojiAt(text string) int {
	r, end := utf8.DecodeRuneInString(text)
	if !isEmoji(r) {
		return 0
	}
	for end < len(text) {
		next, size := utf8.DecodeRuneInString(text[end:])
		switch {
		case next == '\uFE0F', next == '\u20E3', next >= 0x1F3FB && next <= 0x1F3FF:
			end += size
		case next == '\u200D':
			joined := emojiAt(text[end+size:])
			if joined == 0 {
				return end
			}
			end += size + joined
		case r >= 0x1F1E6 && r <= 0x1F1FF && next >= 0x1F1E6 && next <= 0x1F1FF:
			return end + size // the two letters of a flag
		default:
			return end
		}
	}
	return end
}

func isEmoji(r rune) bool {
	switch {
	case r < 0x2190:
		return r == '©' || r == '®' || r == '‼' || r == '⁉' || r == '™' || r == 'ℹ'
	case r <= 0x21FF:
		return r >= 0x2194 && r <= 0x2199 || r == 0x21A9 || r == 0x21AA
	case r <= 0x23FF:
		return r == 0x231A || r == 0x231B || r == 0x2328 || r == 0x23CF || r >= 0x23E9 && r <= 0x23FA
	case r <= 0x25FF:
		return r == 0x24C2 || r == 0x25AA || r == 0x25AB || r == 0x25B6 || r == 0x25C0 || r >= 0x25FB
	case r <= 0x27BF:
		return true
	case r <= 0x2BFF:
		return r == 0x2934 || r == 0x2935 || r >= 0x2B05 && r <= 0x2B07 || r == 0x2B1B || r == 0x2B1C || r == 0x2B50 || r == 0x2B55
	}
	return r == 0x3030 || r == 0x303D || r == 0x3297 || r == 0x3299 || r >= 0x1F000 && r <= 0x1FAFF
}
