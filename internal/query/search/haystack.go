package search

import (
	"bytes"
	"unicode/utf8"

	"obsidian-mcp/internal/text/fold"
)

// form is a normalisation of a text for comparison.
type form uint8

const (
	folded   form = iota // without case and diacritics
	lowered              // without case
	composed             // unchanged, but in Unicode normal form C
	forms
)

// haystack is a text that is searched, in the forms that were needed so far. Its buffers are reused for the next
// text.
type haystack struct {
	text       []byte
	start, end int // in the text of the file; 0 for a name
	forms      [forms][]byte
	made       [forms]bool
	buffers    [forms][]byte
	own        []byte // the text, if it is not part of a file's text
	ascii      bool
	checked    bool // ascii is set
}

func (h *haystack) set(text []byte, start int) {
	h.text, h.start, h.end = text, start, start+len(text)
	h.made, h.checked = [forms]bool{}, false
}

// setName takes a text that is not part of the file's text, such as a name.
func (h *haystack) setName(text string) {
	h.own = append(h.own[:0], text...)
	h.set(h.own, 0)
}

func (h *haystack) isASCII() bool {
	if !h.checked {
		h.ascii, h.checked = fold.IsASCII(h.text), true
	}
	return h.ascii
}

// in returns the text in a form.
func (h *haystack) in(wanted form) []byte {
	if h.made[wanted] {
		return h.forms[wanted]
	}
	h.made[wanted] = true
	switch {
	case wanted == folded:
		h.buffers[folded] = fold.Append(h.buffers[folded][:0], h.text)
		h.forms[folded] = h.buffers[folded]
	case wanted == lowered && h.isASCII():
		h.forms[lowered] = h.in(folded)
	case wanted == lowered:
		h.buffers[lowered] = fold.AppendCase(h.buffers[lowered][:0], h.text)
		h.forms[lowered] = h.buffers[lowered]
	case h.isASCII():
		h.forms[composed] = h.text
	default:
		h.forms[composed] = fold.Compose(h.text)
	}
	return h.forms[wanted]
}

func (h *haystack) hasWord(w *Word) bool {
	return bytes.Contains(h.in(w.form), w.needle)
}

// hasPhrase first searches the folded text, which is the cheapest form and serves all words and phrases.
func (h *haystack) hasPhrase(phrase *Phrase) bool {
	if phrase.form != folded && !h.isASCII() && !bytes.Contains(h.in(folded), phrase.folded) {
		return false
	}
	text := h.in(phrase.form)
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

// atBoundaries reports whether a part of a text cuts no word in two. Scripts without spaces between words have no
// such boundaries.
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

// isSpaced reports whether a character belongs to a word of a script that puts spaces between words.
func isSpaced(r rune) bool { return fold.IsWord(r) && fold.Kind(r) != fold.CJK }

// In reports whether a text contains the word, as Match decides it.
func (w *Word) In(text []byte) bool {
	var in haystack
	in.set(text, 0)
	return in.hasWord(w)
}

// In reports whether a text contains the phrase, as Match decides it.
func (p *Phrase) In(text []byte) bool {
	var in haystack
	in.set(text, 0)
	return in.hasPhrase(p)
}
