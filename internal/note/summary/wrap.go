package summary

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// narrow is the least width at which text is wrapped by hand.
const narrow = 60

// width is where the lines of the unit were wrapped, if they were.
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

// joint is what stands between a line and the one before. A break is meant
// where it is marked as such, or where the line before had room for the next
// word and more; a small letter goes on with the sentence all the same.
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

// columns is how wide a text is on a screen.
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
