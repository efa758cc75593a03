package md

import (
	"slices"

	"obsidian-mcp/internal/text/order"
)

// Splice replaces the bytes of a span. Every edit is a list of splices; bytes outside them never change.
type Splice struct {
	Span
	Text []byte
}

// Apply returns a copy of src with the splices applied. They may come in any order but must not overlap. Insertions at
// the same offset keep their order.
func Apply(src []byte, splices []Splice) []byte {
	ordered := slices.Clone(splices)
	order.Stably(ordered, func(a, b Splice) int { return a.Start - b.Start })
	size := len(src)
	for _, change := range ordered {
		size += len(change.Text) - change.Len()
	}
	changed := make([]byte, 0, size)
	at := 0
	for _, change := range ordered {
		changed = append(changed, src[at:change.Start]...)
		changed = append(changed, change.Text...)
		at = change.End
	}
	return append(changed, src[at:]...)
}

// LineEnd returns the line end used around an offset: that of the previous line, else that of the current line, else
// "\n".
func LineEnd(src []byte, offset int) string {
	before := src[:offset]
	for i := len(before) - 1; i >= 0; i-- {
		if before[i] == '\n' {
			return lineEndAt(src, i)
		}
	}
	for i := offset; i < len(src); i++ {
		if src[i] == '\n' {
			return lineEndAt(src, i)
		}
	}
	return "\n"
}

func lineEndAt(src []byte, newline int) string {
	if newline > 0 && src[newline-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// LineStart returns where the line that contains the offset starts.
func LineStart(src []byte, offset int) int {
	for offset > 0 && src[offset-1] != '\n' {
		offset--
	}
	return offset
}

// NextLine returns where the line after the one that contains the offset starts.
func NextLine(src []byte, offset int) int { return lineEnd(src, offset) }
