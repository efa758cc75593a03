// Package wire checks JSON as strictly as a contract needs it.
//
// encoding/json takes duplicate keys, invalid UTF-8 and lone surrogates, and
// whoever reads the first of two keys is fooled by whoever reads the second.
// What passes Check has one meaning.
package wire

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may nest.
const MaxDepth = 128

// Error says where JSON is wrong.
type Error struct {
	Offset int
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset) }

// Check reports why data is not one JSON value: bad syntax, invalid Unicode,
// a key twice in an object, nesting beyond MaxDepth.
func Check(data []byte) error {
	c := checker{data: data}
	c.space()
	if err := c.value(0); err != nil {
		return err
	}
	c.space()
	if c.at < len(c.data) {
		return c.fail("something follows the value")
	}
	return nil
}

type checker struct {
	data []byte
	at   int
}

func (c *checker) fail(reason string) error { return &Error{Offset: c.at, Reason: reason} }

func (c *checker) space() {
	for c.at < len(c.data) {
		switch c.data[c.at] {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return
		}
	}
}

// peek is the next byte, or 0 at the end.
func (c *checker) peek() byte {
	if c.at < len(c.data) {
		return c.data[c.at]
	}
	return 0
}

func (c *checker) value(depth int) error {
	if depth > MaxDepth {
		return c.fail("nested too deeply")
	}
	switch next := c.peek(); {
	case next == '{':
		return c.object(depth)
	case next == '[':
		return c.array(depth)
	case next == '"':
		_, err := c.text()
		return err
	case next == '-' || '0' <= next && next <= '9':
		return c.number()
	}
	for _, word := range []string{"true", "false", "null"} {
		if len(c.data)-c.at >= len(word) && string(c.data[c.at:c.at+len(word)]) == word {
			c.at += len(word)
			return nil
		}
	}
	if c.at == len(c.data) {
		return c.fail("unexpected end")
	}
	return c.fail("no JSON value")
}

func (c *checker) object(depth int) error {
	c.at++
	c.space()
	if c.peek() == '}' {
		c.at++
		return nil
	}
	seen := map[string]struct{}{}
	for {
		c.space()
		if c.peek() != '"' {
			return c.fail("no key")
		}
		start := c.at
		key, err := c.text()
		if err != nil {
			return err
		}
		if _, twice := seen[key]; twice {
			c.at = start
			return c.fail("a key for the second time")
		}
		seen[key] = struct{}{}
		c.space()
		if c.peek() != ':' {
			return c.fail("no colon")
		}
		c.at++
		c.space()
		if err := c.value(depth + 1); err != nil {
			return err
		}
		if done, err := c.next('}'); done || err != nil {
			return err
		}
	}
}

func (c *checker) array(depth int) error {
	c.at++
	c.space()
	if c.peek() == ']' {
		c.at++
		return nil
	}
	for {
		c.space()
		if err := c.value(depth + 1); err != nil {
			return err
		}
		if done, err := c.next(']'); done || err != nil {
			return err
		}
	}
}

// next goes over a comma, or over the end of a list.
func (c *checker) next(end byte) (done bool, err error) {
	c.space()
	switch c.peek() {
	case end:
		c.at++
		return true, nil
	case ',':
		c.at++
		return false, nil
	}
	return false, c.fail("no comma")
}

// text goes over a string and gives it as it reads.
func (c *checker) text() (string, error) {
	start := c.at
	c.at++
	escaped := false
	for c.at < len(c.data) {
		switch b := c.data[c.at]; {
		case b == '"':
			c.at++
			if !escaped {
				return string(c.data[start+1 : c.at-1]), nil
			}
			var value string
			err := json.Unmarshal(c.data[start:c.at], &value)
			return value, err
		case b < ' ':
			return "", c.fail("a control character in a string")
		case b == '\\':
			escaped = true
			if err := c.escape(); err != nil {
				return "", err
			}
		case b < utf8.RuneSelf:
			c.at++
		default:
			r, size := utf8.DecodeRune(c.data[c.at:])
			if r == utf8.RuneError && size == 1 {
				return "", c.fail("invalid UTF-8")
			}
			c.at += size
		}
	}
	return "", c.fail("a string without end")
}

func (c *checker) escape() error {
	if c.at+1 >= len(c.data) {
		return c.fail("a string without end")
	}
	switch c.data[c.at+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		c.at += 2
		return nil
	case 'u':
	default:
		return c.fail("an unknown escape")
	}
	unit, ok := c.unit()
	switch {
	case !ok:
		return c.fail("an unknown escape")
	case 0xdc00 <= unit && unit <= 0xdfff:
		return c.fail("half of a surrogate pair")
	case 0xd800 <= unit && unit <= 0xdbff:
		if c.peek() != '\\' || c.at+1 >= len(c.data) || c.data[c.at+1] != 'u' {
			return c.fail("half of a surrogate pair")
		}
		if low, ok := c.unit(); !ok || low < 0xdc00 || low > 0xdfff {
			return c.fail("half of a surrogate pair")
		}
	}
	return nil
}

// unit reads \uXXXX.
func (c *checker) unit() (uint32, bool) {
	if c.at+6 > len(c.data) {
		return 0, false
	}
	var unit uint32
	for _, digit := range c.data[c.at+2 : c.at+6] {
		switch lower := digit | 0x20; {
		case '0' <= digit && digit <= '9':
			unit = unit<<4 | uint32(digit-'0')
		case 'a' <= lower && lower <= 'f':
			unit = unit<<4 | uint32(lower-'a'+10)
		default:
			return 0, false
		}
	}
	c.at += 6
	return unit, true
}

func (c *checker) number() error {
	if c.peek() == '-' {
		c.at++
	}
	if c.peek() == '0' {
		c.at++
	} else if c.digits() == 0 {
		return c.fail("no number")
	}
	if c.peek() == '.' {
		c.at++
		if c.digits() == 0 {
			return c.fail("no digits after the point")
		}
	}
	if c.peek()|0x20 == 'e' {
		c.at++
		if c.peek() == '+' || c.peek() == '-' {
			c.at++
		}
		if c.digits() == 0 {
			return c.fail("no digits in the exponent")
		}
	}
	return nil
}

func (c *checker) digits() int {
	start := c.at
	for c.at < len(c.data) && '0' <= c.data[c.at] && c.data[c.at] <= '9' {
		c.at++
	}
	return c.at - start
}
