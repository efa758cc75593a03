package entry

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// node is a value in a JSON text, and where it is.
type node struct {
	kind       byte // '{', '[', '"', or 'x' for what has no parts
	start, end int
	members    []member // of an object
}

// member is a name with its value in an object.
type member struct {
	name  string
	start int // of the name
	value node
	comma int // where the comma behind it is; -1: there is none
}

// end is where the member and its comma end.
func (m member) end() int {
	if m.comma >= 0 {
		return m.comma + 1
	}
	return m.value.end
}

// comment is where a comment is; one that goes to the end of its line does not
// hold the line's end.
type comment struct {
	start, end int
	toLineEnd  bool
}

// document is a JSON text that has been read.
type document struct {
	text     []byte
	root     node // its kind is 0 where the text holds no value
	comments []comment
	spare    []int // commas behind which nothing comes
}

// scanner reads a JSON text.
type scanner struct {
	*document
	at      int
	depth   int
	relaxed bool // comments and spare commas are fine
}

// deepest bounds how values nest: no configuration comes near.
const deepest = 1000

// parseJSON reads a whole text. One without any value is a document without a
// root.
func parseJSON(text []byte, format Format) (*document, error) {
	s := &scanner{document: &document{text: text}, relaxed: format == JSONC}
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		s.at = len(byteOrderMark)
	}
	if err := s.space(); err != nil {
		return nil, err
	}
	if s.at == len(text) {
		return s.document, nil
	}
	root, err := s.value()
	if err != nil {
		return nil, err
	}
	if err := s.space(); err != nil {
		return nil, err
	}
	if s.at < len(text) {
		return nil, s.fail("there is something behind the end")
	}
	s.root = root
	return s.document, nil
}

func (s *scanner) fail(what string) error {
	if s.at >= len(s.text) {
		what = "the text ends too early"
	}
	return errorAt(s.text, s.at, "not valid JSON: %s", what)
}

// peek is the next byte; 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// space skips white space and comments.
func (s *scanner) space() error {
	for s.at < len(s.text) {
		switch s.text[s.at] {
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
	rest, length := s.text[s.at:], -1
	toLineEnd := bytes.HasPrefix(rest, []byte("//"))
	switch {
	case toLineEnd:
		if length = bytes.IndexAny(rest, "\r\n"); length < 0 {
			length = len(rest)
		}
	case bytes.HasPrefix(rest, []byte("/*")):
		if close := bytes.Index(rest[2:], []byte("*/")); close >= 0 {
			length = close + 4
		}
	}
	if length < 0 {
		return s.fail("a comment that does not end")
	}
	s.comments = append(s.comments, comment{s.at, s.at + length, toLineEnd})
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
		if err := json.Unmarshal(s.text[found.start:s.at], &found.name); err != nil {
			return s.fail("a name that cannot be read")
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

// list reads what is between brackets, and the commas between.
func (s *scanner) list(closing byte, item func() error, comma func(at int)) error {
	s.at++
	for last := -1; ; {
		if err := s.space(); err != nil {
			return err
		}
		if s.peek() == closing {
			if last >= 0 && !s.relaxed {
				s.at = last
				return s.fail("a comma behind the last value")
			}
			if last >= 0 {
				s.spare = append(s.spare, last)
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
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			if !json.Valid(s.text[start:s.at]) {
				s.at = start
				return s.fail("a text with an unknown escape")
			}
			return nil
		case c == '\\':
			s.at++
		case c < ' ':
			return s.fail("a line break or another control character in a text")
		}
	}
	return s.fail("")
}

// word reads a number, true, false or null.
func (s *scanner) word() error {
	start := s.at
	for s.at < len(s.text) && s.text[s.at] < utf8.RuneSelf && !bytes.ContainsRune([]byte(" \t\r\n,:]}[{\"/"), rune(s.text[s.at])) {
		s.at++
	}
	if !json.Valid(s.text[start:s.at]) {
		end := s.at
		s.at = start
		if start == end && start < len(s.text) {
			return s.fail("a value is missing")
		}
		return s.fail("this is no value")
	}
	return nil
}
