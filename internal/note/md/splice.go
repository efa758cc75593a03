package md

import "slices"

// Splice is one change of a source: the bytes of a span give way to others.
// Every edit is a list of splices; bytes outside of them are never touched.
type Splice struct {
	Span
	Text []byte
}

// Apply makes the changes, which may come in any order but must not overlap,
// and returns a new slice. Insertions at one place are made in the order
// given.
func Apply(src []byte, splices []Splice) []byte {
	ordered := slices.Clone(splices)
	slices.SortStableFunc(ordered, func(a, b Splice) int { return a.Start - b.Start })
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

// LineEnd is the line end in use around an offset: that of the line before
// it, else of the line that holds it, else a newline alone.
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

// LineStart is the offset at which the line that holds the offset starts.
func LineStart(src []byte, offset int) int {
	for offset > 0 && src[offset-1] != '\n' {
		offset--
	}
	return offset
}

// NextLine is the offset at which the line after the offset's starts.
func NextLine(src []byte, offset int) int { return lineEnd(src, offset) }
