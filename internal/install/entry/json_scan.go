package entry

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// node is a value in a JSON text, with its position.
type node struct {
	kind       byte // '{', '[', '"', or 'x' for a number, true, false or null
	start, end int
	members    []member // of an object
}

// member is a name with its value in an object.
type member struct {
	name  string
	start int // of the name
	value node
	comma int // position of the comma after it, or -1
}

// end returns where the member and its comma end.
func (m member) end() int {
	if m.comma >= 0 {
		return m.comma + 1
	}
	return m.value.end
}

// comment is the position of a comment. The line break after a // comment is not part of it.
type comment struct {
	start, end int
	toLineEnd  bool
}

// document is a parsed JSON text.
type document struct {
	text     []byte
	root     node // its kind is 0 if the text has no value
	comments []comment
	spare    []int // trailing commas
}

// scanner reads a JSON text.
type scanner struct {
	doc     *document
	at      int
	depth   int
	relaxed bool // comments and trailing commas are allowed
}

// deepest bounds how deeply values nest, far beyond any real configuration.
const deepest = 1000

// parseJSON parses a whole text. A text without a value gives a document without a root.
func parseJSON(text []byte, format Format) (*document, error) {
	s := &scanner{doc: &document{text: text}, relaxed: format == JSONC}
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		s.at = len(byteOrderMark)
	}
	if err := s.space(); err != nil {
		return nil, err
	}
	if s.at == len(text) {
		return s.doc, nil
	}
	root, err := s.value()
	if err != nil {
		return nil, err
	}
	if err := s.space(); err != nil {
		return nil, err
	}
	if s.at < len(text) {
		return nil, s.fail("there is text after the end")
	}
	s.doc.root = root
	return s.doc, nil
}

func (s *scanner) fail(what string) error {
	if s.at >= len(s.doc.text) {
		what = "the text ends too early"
	}
	return errorAt(s.doc.text, s.at, "not valid JSON: %s", what)
}

// peek returns the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.doc.text) {
		return s.doc.text[s.at]
	}
	return 0
}

// space skips white space and comments.
func (s *scanner) space() error {
	for s.at < len(s.doc.text) {
		switch s.doc.text[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		case '/':
			if !s.relaxed {
				return s.fail("comments are not allowed in this file")
			}
			if err := s.comment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

func (s *scanner) comment() error {
	rest, length := s.doc.text[s.at:], -1
	toLineEnd := bytes.HasPrefix(rest, []byte("//"))
	switch {
	case toLineEnd:
		if length = bytes.IndexAny(rest, "\r\n"); length < 0 {
			length = len(rest)
		}
	case bytes.HasPrefix(rest, []byte("/*")):
		if end := bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			length = end + 4
		}
	}
	if length < 0 {
		return s.fail("a comment is not closed")
	}
	s.doc.comments = append(s.doc.comments, comment{s.at, s.at + length, toLineEnd})
	s.at += length
	return nil
}

func (s *scanner) value() (node, error) {
	if s.depth++; s.depth > deepest {
		return node{}, s.fail("values nest too deeply")
	}
	defer func() { s.depth-- }()
	start := s.at
	switch c := s.peek(); {
	case c == '{':
		return s.object()
	case c == '[':
		return s.array()
	case c == '"':
		err := s.quoted()
		return node{kind: '"', start: start, end: s.at}, err
	default:
		err := s.word()
		return node{kind: 'x', start: start, end: s.at}, err
	}
}

func (s *scanner) object() (node, error) {
	object := node{kind: '{', start: s.at}
	err := s.list('}', func() error {
		found := member{start: s.at, comma: -1}
		if s.peek() != '"' {
			return s.fail("a name in double quotes is missing")
		}
		if err := s.quoted(); err != nil {
			return err
		}
		if err := json.Unmarshal(s.doc.text[found.start:s.at], &found.name); err != nil {
			return s.fail("a name cannot be decoded")
		}
		if err := s.space(); err != nil {
			return err
		}
		if s.peek() != ':' {
			return s.fail("a colon is missing")
		}
		s.at++
		if err := s.space(); err != nil {
			return err
		}
		var err error
		found.value, err = s.value()
		object.members = append(object.members, found)
		return err
	}, func(comma int) { object.members[len(object.members)-1].comma = comma })
	object.end = s.at
	return object, err
}

func (s *scanner) array() (node, error) {
	array := node{kind: '[', start: s.at}
	err := s.list(']', func() error {
		_, err := s.value()
		return err
	}, func(int) {})
	array.end = s.at
	return array, err
}

// list reads the items between brackets, and their commas.
func (s *scanner) list(closing byte, item func() error, comma func(at int)) error {
	s.at++
	for last := -1; ; {
		if err := s.space(); err != nil {
			return err
		}
		if s.peek() == closing {
			if last >= 0 && !s.relaxed {
				s.at = last
				return s.fail("a comma after the last value")
			}
			if last >= 0 {
				s.doc.spare = append(s.doc.spare, last)
			}
			s.at++
			return nil
		}
		if err := item(); err != nil {
			return err
		}
		if err := s.space(); err != nil {
			return err
		}
		switch s.peek() {
		case ',':
			last = s.at
			comma(last)
			s.at++
		case closing:
			last = -1
		default:
			return s.fail("a comma or a closing bracket is missing")
		}
	}
}

// quoted reads a string.
func (s *scanner) quoted() error {
	start := s.at
	for s.at++; s.at < len(s.doc.text); s.at++ {
		switch c := s.doc.text[s.at]; {
		case c == '"':
			s.at++
			if !json.Valid(s.doc.text[start:s.at]) {
				s.at = start
				return s.fail("a string has an unknown escape")
			}
			return nil
		case c == '\\':
			s.at++
		case c < ' ':
			return s.fail("a string contains a line break or another control character")
		}
	}
	return s.fail("")
}

// word reads a number, true, false or null.
func (s *scanner) word() error {
	start := s.at
	isPart := func(c byte) bool { return c < utf8.RuneSelf && bytes.IndexByte([]byte(" \t\r\n,:]}[{\"/"), c) < 0 }
	for s.at < len(s.doc.text) && isPart(s.doc.text[s.at]) {
		s.at++
	}
	if !json.Valid(s.doc.text[start:s.at]) {
		end := s.at
		s.at = start
		if start == end && start < len(s.doc.text) {
			return s.fail("a value is missing")
		}
		return s.fail("this is not a JSON value")
	}
	return nil
}
