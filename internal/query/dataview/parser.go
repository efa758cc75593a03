package dataview

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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
