package summary

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// narrow is the smallest width at which people wrap text by hand.
const narrow = 60

// width returns the width at which the lines of the unit were wrapped.
func (r *reader) width() int {
	widest := narrow
	if len(r.lines) == 1 {
		return widest
	}
	for _, line := range r.lines {
		widest = max(widest, columns(bytes.TrimSpace(line.Of(r.note.Source))))
	}
	return widest
}

// joint returns the text between a line and the previous one. A line break counts as intended if it is marked, or if the
// previous line had ample room for the next word; but a line that starts with a small letter always continues.
func (r *reader) joint(i, width int) string {
	src := r.note.Source
	raw := bytes.TrimRight(r.lines[i-1].Of(src), "\r\n")
	before, after := bytes.TrimSpace(raw), bytes.TrimSpace(r.lines[i].Of(src))
	marked := bytes.HasSuffix(raw, []byte("  ")) || bytes.HasSuffix(raw, []byte("\\"))
	word := after
	if space := bytes.IndexByte(after, ' '); space >= 0 {
		word = after[:space]
	}
	first, _ := utf8.DecodeRune(after)
	last, _ := utf8.DecodeLastRune(before)
	if !unicode.IsLower(first) && (marked || columns(before)+1+columns(word) <= width*4/5) {
		return "\n"
	}
	if isWide(first) && isWide(last) {
		return ""
	}
	return " "
}

// columns returns the width of a text on a screen.
func columns(text []byte) int {
	count := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		count++
		if isWide(r) {
			count++
		}
	}
	return count
}
