package glob

import (
	"fmt"
	"strings"
)

// charRange is a range of characters in a class.
type charRange struct{ from, to rune }

// class reads what is between brackets. A bracket or hyphen at the start is a literal character, as is a hyphen at
// the end; there are no escapes.
func (p *parser) class(at int) {
	negated := p.peek() == '!' || p.peek() == '^'
	if negated {
		p.bump()
	}
	var ranges []charRange
	inRange := false
	for first := true; ; first = false {
		start := p.pos
		c := p.bump()
		switch {
		case c == none:
			p.fail(at, "unclosed character class: [ has no ]")
			return
		case c == ']' && !first:
			if inRange {
				ranges = append(ranges, charRange{'-', '-'})
			}
			p.pushClass(at, negated, ranges)
			return
		case c == '-' && !first && !inRange:
			inRange = true
			continue
		case inRange:
			last := &ranges[len(ranges)-1]
			if last.to = c; last.to < last.from {
				p.fail(start, fmt.Sprintf("invalid range: %q comes after %q", last.from, last.to))
				return
			}
		default:
			ranges = append(ranges, charRange{c, c})
		}
		inRange = false
	}
}

// pushClass adds a class of bytes. As in ripgrep, a character outside of ASCII stands for all of its bytes, and a
// range of such characters goes from the last byte of the first to the first byte of the second.
func (p *parser) pushClass(at int, negated bool, ranges []charRange) {
	var text strings.Builder
	text.WriteByte('[')
	if negated {
		text.WriteByte('^')
	}
	for _, r := range ranges {
		text.WriteString(literal(r.from))
		if r.from != r.to {
			from, to := string(r.from), string(r.to)
			if from[len(from)-1] > to[0] {
				p.fail(at, fmt.Sprintf("invalid range: the bytes of %q come after those of %q", r.from, r.to))
			}
			text.WriteString("-" + literal(r.to))
		}
	}
	text.WriteByte(']')
	p.push(text.String(), plain)
}
