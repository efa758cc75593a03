package pdf

import (
	"bytes"
	"math"
	"strconv"
)

// A PDF object is nil, bool, float64, text, name, array, dict, reference or *stream. In content streams, operators come
// between objects.
type (
	text      string // a string object, as bytes
	name      string
	array     []any
	dict      map[name]any
	operator  string
	reference struct{ number, generation int }
	stream    struct {
		dict dict
		raw  []byte
		of   reference
	}
)

// closing is what the lexer returns for the end of an array, a dictionary or a procedure.
type closing string

// endOfInput is what the lexer returns behind the last object.
type endOfInput struct{}

const maxDepth = 64

// lexer reads objects from bytes. Whatever is not an object is skipped.
type lexer struct {
	data  []byte
	at    int
	spent *budget
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

func isRegular(c byte) bool { return !isSpace(c) && !isDelimiter(c) }

func (l *lexer) skipSpace() {
	for l.at < len(l.data) {
		switch c := l.data[l.at]; {
		case isSpace(c):
			l.at++
		case c == '%':
			end := bytes.IndexAny(l.data[l.at:], "\r\n")
			if end < 0 {
				end = len(l.data) - l.at
			}
			l.at += end
		default:
			return
		}
	}
}

// object reads the next object, operator or closing bracket. References are recognised if the input may hold them.
func (l *lexer) object(depth int) any {
	l.skipSpace()
	if l.at >= len(l.data) || !l.spent.step() {
		return endOfInput{}
	}
	switch c := l.data[l.at]; c {
	case '/':
		l.at++
		return l.name()
	case '(':
		l.at++
		return l.literal()
	case '[':
		l.at++
		return l.array(depth)
	case '<':
		if l.at+1 < len(l.data) && l.data[l.at+1] == '<' {
			l.at += 2
			return l.dict(depth)
		}
		l.at++
		return l.hex()
	case '>':
		l.at++
		if l.at < len(l.data) && l.data[l.at] == '>' {
			l.at++
			return closing(">>")
		}
		return closing(">")
	case ']', ')', '}', '{':
		l.at++
		return closing(string(c))
	}
	return l.regular()
}

// regular reads a number, a reference, a constant or an operator.
func (l *lexer) regular() any {
	word := l.word()
	if number, ok := parseNumber(word); ok {
		if ref, ok := l.reference(number); ok {
			return ref
		}
		return number
	}
	switch string(word) {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	return operator(word)
}

func (l *lexer) word() []byte {
	start := l.at
	for l.at < len(l.data) && isRegular(l.data[l.at]) {
		l.at++
	}
	return l.data[start:l.at]
}

// reference reads the rest of "12 0 R", if that is what the number begins.
func (l *lexer) reference(number float64) (reference, bool) {
	if number < 0 || number != math.Trunc(number) || number > maxObjectNumber {
		return reference{}, false
	}
	ahead := *l
	ahead.skipSpace()
	generation, ok := parseNumber(ahead.word())
	if !ok || generation < 0 || generation > 65535 {
		return reference{}, false
	}
	ahead.skipSpace()
	if string(ahead.word()) != "R" {
		return reference{}, false
	}
	l.at = ahead.at
	return reference{int(number), int(generation)}, true
}

const maxObjectNumber = 8_388_607 // the limit that the standard recommends

func parseNumber(word []byte) (float64, bool) {
	if len(word) == 0 || len(word) > 64 {
		return 0, false
	}
	if c := word[0]; c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') {
		return 0, false
	}
	for len(word) > 1 && word[0] == '-' && word[1] == '-' { // some writers do that
		word = word[1:]
	}
	for i, c := range word {
		if c != '.' && (c < '0' || c > '9') && (i > 0 || c != '-' && c != '+') {
			return 0, false
		}
	}
	number, err := strconv.ParseFloat(string(word), 64)
	return number, err == nil && !math.IsInf(number, 0)
}

func (l *lexer) name() name {
	word := l.word()
	if bytes.IndexByte(word, '#') < 0 {
		return name(word)
	}
	var decoded []byte
	for i := 0; i < len(word); i++ {
		if word[i] == '#' && i+2 < len(word) {
			if value, err := strconv.ParseUint(string(word[i+1:i+3]), 16, 8); err == nil {
				decoded = append(decoded, byte(value))
				i += 2
				continue
			}
		}
		decoded = append(decoded, word[i])
	}
	return name(decoded)
}

func (l *lexer) array(depth int) array {
	items := array{}
	for depth < maxDepth {
		switch item := l.object(depth + 1).(type) {
		case closing:
			if item == "]" {
				return items
			}
		case endOfInput:
			return items
		case operator:
			if item == "endobj" || item == "endstream" {
				return items
			}
		default:
			items = append(items, item)
		}
	}
	return items
}

func (l *lexer) dict(depth int) dict {
	entries := dict{}
	for depth < maxDepth {
		key := l.object(depth + 1)
		switch key := key.(type) {
		case closing:
			if key == ">>" {
				return entries
			}
		case endOfInput:
			return entries
		case operator:
			if key == "endobj" || key == "stream" {
				l.at -= len(key)
				return entries
			}
		case name:
			switch value := l.object(depth + 1).(type) {
			case closing:
				if value == ">>" {
					return entries
				}
			case endOfInput:
				return entries
			case operator:
			default:
				entries[key] = value
			}
		}
	}
	return entries
}

// literal reads a string in parentheses.
func (l *lexer) literal() text {
	var decoded []byte
	open := 1
	for l.at < len(l.data) {
		c := l.data[l.at]
		l.at++
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return text(decoded)
			}
		case '\\':
			decoded = l.escape(decoded)
			continue
		case '\r':
			if l.at < len(l.data) && l.data[l.at] == '\n' {
				l.at++
			}
			c = '\n'
		}
		decoded = append(decoded, c)
	}
	return text(decoded)
}

func (l *lexer) escape(decoded []byte) []byte {
	if l.at >= len(l.data) {
		return decoded
	}
	c := l.data[l.at]
	l.at++
	switch c {
	case 'n':
		return append(decoded, '\n')
	case 'r':
		return append(decoded, '\r')
	case 't':
		return append(decoded, '\t')
	case 'b':
		return append(decoded, '\b')
	case 'f':
		return append(decoded, '\f')
	case '\r':
		if l.at < len(l.data) && l.data[l.at] == '\n' {
			l.at++
		}
		return decoded
	case '\n':
		return decoded
	}
	if c < '0' || c > '7' {
		return append(decoded, c)
	}
	value := c - '0'
	for i := 0; i < 2 && l.at < len(l.data) && l.data[l.at] >= '0' && l.data[l.at] <= '7'; i++ {
		value = value<<3 | (l.data[l.at] - '0')
		l.at++
	}
	return append(decoded, value)
}

// hex reads a string in angle brackets.
func (l *lexer) hex() text {
	end := bytes.IndexByte(l.data[l.at:], '>')
	if end < 0 {
		end = len(l.data) - l.at
	}
	digits := l.data[l.at : l.at+end]
	l.at = min(l.at+end+1, len(l.data))
	return text(unhex(digits))
}

func unhex(digits []byte) []byte {
	decoded := make([]byte, 0, len(digits)/2+1)
	half, isHalf := byte(0), false
	for _, c := range digits {
		value, ok := hexDigit(c)
		if !ok {
			continue
		}
		if isHalf {
			decoded = append(decoded, half<<4|value)
		}
		half, isHalf = value, !isHalf
	}
	if isHalf {
		decoded = append(decoded, half<<4)
	}
	return decoded
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return (c | 0x20) - 'a' + 10, true
	}
	return 0, false
}
