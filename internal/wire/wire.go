// Package wire checks JSON more strictly than encoding/json does.
//
// encoding/json accepts duplicate keys, invalid UTF-8 and unpaired surrogates. Two programs that pick different values
// of a duplicate key then disagree about what a message says. JSON that passes Check means the same to every reader.
//
// The package only checks; decoding is left to encoding/json.
package wire

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may nest.
const MaxDepth = 128

// Error reports where data stops being acceptable JSON, and why.
type Error struct {
	Offset int
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("%s at byte %d", e.Reason, e.Offset) }

// Check returns an error unless data is exactly one JSON value with valid Unicode, no duplicate keys within an object
// and no nesting beyond MaxDepth.
func Check(data []byte) error {
	c := checker{data: data}
	c.space()
	if err := c.value(0); err != nil {
		return err
	}
	c.space()
	if c.at < len(c.data) {
		return c.fail("unexpected data after the value")
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

// peek returns the next byte, or 0 at the end.
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
	return c.fail("expected a value")
}

func (c *checker) object(depth int) error {
	c.at++
	c.space()
	if c.peek() == '}' {
		c.at++
		return nil
	}
	seen := map[string]bool{}
	for {
		c.space()
		if c.peek() != '"' {
			return c.fail("expected a key in double quotes")
		}
		start := c.at
		key, err := c.text()
		if err != nil {
			return err
		}
		if seen[key] {
			c.at = start
			return c.fail("duplicate key")
		}
		seen[key] = true
		c.space()
		if c.peek() != ':' {
			return c.fail("expected a colon")
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

// next skips the comma before the next element, or the closing bracket.
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
	return false, c.fail("expected a comma or a closing bracket")
}

// text skips a string and returns its decoded value.
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
			return "", c.fail("control character in a string")
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
	return "", c.fail("unterminated string")
}

func (c *checker) escape() error {
	if c.at+1 >= len(c.data) {
		return c.fail("unterminated string")
	}
	switch c.data[c.at+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		c.at += 2
		return nil
	case 'u':
	default:
		return c.fail("invalid escape")
	}
	unit, ok := c.unit()
	switch {
	case !ok:
		return c.fail("invalid escape")
	case 0xdc00 <= unit && unit <= 0xdfff:
		return c.fail("unpaired surrogate")
	case 0xd800 <= unit && unit <= 0xdbff:
		if c.peek() != '\\' || c.at+1 >= len(c.data) || c.data[c.at+1] != 'u' {
			return c.fail("unpaired surrogate")
		}
		if low, ok := c.unit(); !ok || low < 0xdc00 || low > 0xdfff {
			return c.fail("unpaired surrogate")
		}
	}
	return nil
}

// unit reads one UTF-16 code unit, written \uXXXX.
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
		return c.fail("invalid number")
	}
	if c.peek() == '.' {
		c.at++
		if c.digits() == 0 {
			return c.fail("expected digits after the decimal point")
		}
	}
	if c.peek()|0x20 == 'e' {
		c.at++
		if c.peek() == '+' || c.peek() == '-' {
			c.at++
		}
		if c.digits() == 0 {
			return c.fail("expected digits in the exponent")
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
