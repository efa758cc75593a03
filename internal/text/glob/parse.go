package glob

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/text/regex"
)

// parser turns a glob into a regular expression. The last of branches is the one being read; the others wait for
// the brace that closes them.
type parser struct {
	src  string
	pos  int
	prev rune // the character before the last one read
	last rune
	err  *regex.Error

	branches [][]piece
	open     []brace
}

// brace is where alternatives begin, in the pattern and in branches.
type brace struct{ at, branch int }

// piece is a part of the expression.
type piece struct {
	text string
	kind pieceKind
}

type pieceKind uint8

const (
	plain  pieceKind = iota
	prefix           // **/ at the start
	suffix           // /** at the end
)

// The wildcards as expressions over bytes.
const (
	anyByte   = `[^/]`
	anyName   = `[^/]*`
	anyPrefix = `(?:/?|.*/)`
	anySuffix = `/.*`
	anyMiddle = `(?:/|/.*/)`
)

const none = rune(-1)

// Limits of a glob. Nobody writes larger ones, and each level of braces copies its content again.
const (
	maxDepth  = 100
	maxLength = 16 << 10
)

// translate returns the expression for a whole path.
func translate(glob string) (string, *regex.Error) {
	p := &parser{src: glob, prev: none, last: none, branches: [][]piece{nil}}
	if len(glob) > maxLength {
		p.fail(maxLength, "the glob is too long")
	}
	for c := p.bump(); c != none && p.err == nil; c = p.bump() {
		p.read(c)
	}
	if n := len(p.open); n > 0 {
		p.fail(p.open[n-1].at, "unclosed alternate group: { has no }")
	}
	if p.err != nil {
		return "", p.err
	}
	pieces := p.branches[0]
	if len(pieces) == 1 && pieces[0].kind == prefix {
		return `(?s-u).*`, nil
	}
	return `(?s-u)\A(?:` + join(pieces) + `)\z`, nil
}

func join(pieces []piece) string {
	var text strings.Builder
	for _, piece := range pieces {
		text.WriteString(piece.text)
	}
	return text.String()
}

func (p *parser) read(c rune) {
	at := p.pos - utf8.RuneLen(c)
	switch c {
	case '?':
		p.push(anyByte, plain)
	case '*':
		p.star()
	case '[':
		p.class(at)
	case '{':
		if len(p.open) == maxDepth {
			p.fail(at, "braces are nested too deeply")
			return
		}
		p.open = append(p.open, brace{at, len(p.branches)})
		p.branches = append(p.branches, nil)
	case '}':
		p.close(at)
	case ',':
		if len(p.open) > 0 {
			p.branches = append(p.branches, nil)
		} else {
			p.push(",", plain)
		}
	case '\\':
		if c = p.bump(); c == none {
			p.fail(at, `dangling \: it escapes nothing`)
			return
		}
		fallthrough
	default:
		p.push(literal(c), plain)
	}
}

// close joins the alternatives since the brace into a single piece. Empty alternatives are dropped.
func (p *parser) close(at int) {
	n := len(p.open)
	if n == 0 {
		p.fail(at, "unopened alternate group: } has no {")
		return
	}
	first := p.open[n-1].branch
	p.open = p.open[:n-1]
	var parts []string
	for _, branch := range p.branches[first:] {
		if text := join(branch); text != "" {
			parts = append(parts, text)
		}
	}
	p.branches = p.branches[:first]
	text := ""
	if len(parts) > 0 {
		text = "(?:" + strings.Join(parts, "|") + ")"
	}
	p.push(text, plain)
}

// star reads * or **. Two stars cross folders only as a whole name between slashes.
func (p *parser) star() {
	prev := p.prev
	if p.peek() != '*' {
		p.push(anyName, plain)
		return
	}
	p.bump()
	branch := &p.branches[len(p.branches)-1]
	if len(*branch) == 0 {
		if next := p.peek(); next != none && next != '/' {
			p.push(anyName, plain)
			return
		}
		p.bump()
		p.push(anyPrefix, prefix)
		return
	}
	inBraces := len(p.branches) > 1
	if prev != '/' && (!inBraces || prev != ',' && prev != '{') {
		p.push(anyName, plain)
		return
	}
	switch next := p.peek(); {
	case next == none, inBraces && (next == ',' || next == '}'):
		p.replaceLast(anySuffix, suffix)
	case next == '/':
		p.bump()
		p.replaceLast(anyMiddle, plain)
	default:
		p.push(anyName, plain)
	}
}

// replaceLast replaces the preceding slash, which the new piece includes. Two pieces in a row that cross folders
// are equivalent to one.
func (p *parser) replaceLast(text string, kind pieceKind) {
	branch := p.branches[len(p.branches)-1]
	if last := &branch[len(branch)-1]; last.kind == plain {
		*last = piece{text, kind}
	}
}

func (p *parser) push(text string, kind pieceKind) {
	last := len(p.branches) - 1
	p.branches[last] = append(p.branches[last], piece{text, kind})
}

func (p *parser) fail(at int, message string) {
	if p.err == nil {
		p.err = &regex.Error{Offset: at, Message: message}
	}
}

func (p *parser) peek() rune {
	if p.pos >= len(p.src) {
		return none
	}
	r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
	return r
}

func (p *parser) bump() rune {
	p.prev, p.last = p.last, p.peek()
	if p.last != none {
		_, size := utf8.DecodeRuneInString(p.src[p.pos:])
		p.pos += size
	}
	return p.last
}

// literal matches a character byte by byte.
func literal(c rune) string {
	if c == '\n' {
		return fmt.Sprintf(`\x%02x`, lineFeed[0])
	}
	var text strings.Builder
	for _, b := range []byte(string(c)) {
		fmt.Fprintf(&text, `\x%02x`, b)
	}
	return text.String()
}
