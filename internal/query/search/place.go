package search

import (
	"bytes"
	"unicode/utf8"

	"obsidian-mcp/internal/text/fold"
)

// form is how a text is written for a comparison.
type form uint8

const (
	folded   form = iota // without case and diacritics
	lowered              // without case
	composed             // as it is, but in one normal form
	forms
)

// place is a text that is searched, in the forms that were asked for so far.
// Its buffers are used again for the next text.
type place struct {
	text       []byte
	start, end int // in the text of the file; of a name, 0
	forms      [forms][]byte
	made       [forms]bool
	buffers    [forms][]byte
	own        []byte // the text, if it is no part of a file's
	ascii      bool
	asked      bool // whether it is ASCII
}

func (p *place) set(text []byte, start int) {
	p.text, p.start, p.end = text, start, start+len(text)
	p.made, p.asked = [forms]bool{}, false
}

// setName takes a text that stands by itself.
func (p *place) setName(text string) {
	p.own = append(p.own[:0], text...)
	p.set(p.own, 0)
}

func (p *place) isASCII() bool {
	if !p.asked {
		p.ascii, p.asked = fold.IsASCII(p.text), true
	}
	return p.ascii
}

// in is the text in a form.
func (p *place) in(wanted form) []byte {
	if p.made[wanted] {
		return p.forms[wanted]
	}
	p.made[wanted] = true
	switch {
	case wanted == folded:
		p.buffers[folded] = fold.Append(p.buffers[folded][:0], p.text)
		p.forms[folded] = p.buffers[folded]
	case wanted == lowered && p.isASCII():
		p.forms[lowered] = p.in(folded)
	case wanted == lowered:
		p.buffers[lowered] = fold.AppendCase(p.buffers[lowered][:0], p.text)
		p.forms[lowered] = p.buffers[lowered]
	case p.isASCII():
		p.forms[composed] = p.text
	default:
		p.forms[composed] = fold.Compose(p.text)
	}
	return p.forms[wanted]
}

func (p *place) hasWord(w *Word) bool {
	return bytes.Contains(p.in(w.form), w.needle)
}

// hasPhrase first asks the folded text, which is the cheapest to make and
// serves all phrases and words.
func (p *place) hasPhrase(phrase *Phrase) bool {
	if phrase.form != folded && !p.isASCII() && !bytes.Contains(p.in(folded), phrase.folded) {
		return false
	}
	text := p.in(phrase.form)
	for from := 0; ; {
		at := bytes.Index(text[from:], phrase.needle)
		if at < 0 {
			return false
		}
		if start := from + at; atBoundaries(text, start, start+len(phrase.needle)) {
			return true
		}
		from += at + 1
	}
}

// atBoundaries reports whether a part of a text cuts no word in two. Scripts
// that put no spaces between words have no such boundaries.
func atBoundaries(text []byte, start, end int) bool {
	if start == end {
		return true
	}
	first, _ := utf8.DecodeRune(text[start:end])
	last, _ := utf8.DecodeLastRune(text[start:end])
	before, _ := utf8.DecodeLastRune(text[:start])
	after, _ := utf8.DecodeRune(text[end:])
	return !(isSpaced(first) && isSpaced(before) && start > 0) && !(isSpaced(last) && isSpaced(after) && end < len(text))
}

// isSpaced reports a character of a word of a script that has spaces.
func isSpaced(r rune) bool { return fold.IsWord(r) && fold.Kind(r) != fold.CJK }
