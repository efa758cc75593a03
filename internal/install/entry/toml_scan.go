package entry

import (
	"bytes"
	"slices"
)

// statement is a line of TOML, or the lines of one value.
type statement struct {
	kind       statementKind
	start, end int      // end is after the line break
	path       []string // of the table, or of the key, from the root
	value      [2]int   // the range of a pair's value
}

type statementKind int

const (
	blankLine   statementKind = iota // or a comment
	pair                             // key = value
	tableHeader                      // [table]
	arrayHeader                      // [[table]]
)

// tables is a valid TOML text, split into statements.
type tables struct {
	text       []byte
	statements []statement
}

// scanTOML splits a valid text into its statements.
func scanTOML(text []byte) *tables {
	s := &tomlScanner{text: text}
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		s.at = len(byteOrderMark)
	}
	found := &tables{text: text}
	var table []string
	for s.at < len(text) {
		next := s.statement()
		switch next.kind {
		case tableHeader, arrayHeader:
			table = next.path
		case pair:
			next.path = slices.Concat(table, next.path)
		}
		found.statements = append(found.statements, next)
	}
	return found
}

// tomlScanner reads a valid text.
type tomlScanner struct {
	text []byte
	at   int
}

func (s *tomlScanner) statement() statement {
	next := statement{start: s.at}
	s.blanks()
	switch {
	case s.at == len(s.text) || bytes.IndexByte([]byte("#\r\n"), s.text[s.at]) >= 0:
	case bytes.HasPrefix(s.text[s.at:], []byte("[[")):
		s.at += 2
		next.kind, next.path = arrayHeader, s.key()
	case s.text[s.at] == '[':
		s.at++
		next.kind, next.path = tableHeader, s.key()
	default:
		next.kind, next.path = pair, s.key()
		s.at++ // the equals sign
		s.blanks()
		next.value[0] = s.at
		s.skipValue()
		next.value[1] = s.at
	}
	s.skipLine()
	next.end = s.at
	return next
}

func (s *tomlScanner) blanks() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t') {
		s.at++
	}
}

func (s *tomlScanner) skipLine() {
	if length := bytes.IndexByte(s.text[s.at:], '\n'); length >= 0 {
		s.at += length + 1
	} else {
		s.at = len(s.text)
	}
}

// key reads a dotted key.
func (s *tomlScanner) key() []string {
	var path []string
	for s.at < len(s.text) {
		s.blanks()
		start := s.at
		switch {
		case s.at == len(s.text):
			return path
		case s.text[s.at] == '"' || s.text[s.at] == '\'':
			s.skipString()
			path = append(path, unquoteTOML(s.text[start:s.at]))
		default:
			for s.at < len(s.text) && isBare(s.text[s.at]) {
				s.at++
			}
			path = append(path, string(s.text[start:s.at]))
		}
		s.blanks()
		if s.at == len(s.text) || s.text[s.at] != '.' {
			return path
		}
		s.at++
	}
	return path
}

func isBare(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

// skipValue moves to the end of a value.
func (s *tomlScanner) skipValue() {
	depth := 0
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case '"', '\'':
			s.skipString()
		case '[', '{':
			depth++
			s.at++
		case ']', '}':
			depth--
			s.at++
		case '#', '\r', '\n':
			if depth == 0 {
				s.trim()
				return
			}
			if c == '#' {
				s.skipLine()
				continue
			}
			s.at++
		default:
			s.at++
		}
	}
	s.trim()
}

// trim moves back over white space.
func (s *tomlScanner) trim() { s.at = len(bytes.TrimRight(s.text[:s.at], " \t")) }

// skipString moves past a string of any kind.
func (s *tomlScanner) skipString() {
	quote := s.text[s.at]
	length := 1
	if three := bytes.Repeat([]byte{quote}, 3); bytes.HasPrefix(s.text[s.at:], three) {
		length = 3
	}
	end := bytes.Repeat([]byte{quote}, length)
	for s.at += length; s.at < len(s.text); s.at++ {
		if s.text[s.at] == '\\' && quote == '"' {
			s.at++
			continue
		}
		if bytes.HasPrefix(s.text[s.at:], end) {
			s.at += length
			for extra := 0; length == 3 && extra < 2 && s.at < len(s.text) && s.text[s.at] == quote; extra++ {
				s.at++ // quotes at the end of the content
			}
			return
		}
	}
}
