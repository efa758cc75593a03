package fold

import (
	"bytes"
	"unicode/utf8"
)

// Range is a half-open range of bytes.
type Range struct{ Start, End int }

// Align turns ranges of the folded form of src into the ranges of src that they come from, in place. The ranges
// must be non-empty, ascending and without overlap. A character always belongs to a range as a whole, with its
// marks.
func Align(src []byte, ranges []Range) {
	walk := aligner{ranges: ranges}
	last := make([]byte, 0, 32) // the last character, folded
	end := 0                    // of the last character, in the folded text
	for i := 0; i < len(src) && len(walk.ranges) > 0; {
		_, size := utf8.DecodeRune(src[i:])
		if src[i] < utf8.RuneSelf {
			walk.boundary(i, end)
			last = append(last[:0], lowerASCII[src[i]])
			end++
		} else {
			joined, marks := appendJoined(last, src[i:i+size])
			if !marks {
				walk.boundary(i, end)
				joined = joined[len(last):]
				end += len(last)
			}
			end += len(joined) - len(last)
			last = append(last[:0], joined...)
		}
		i += size
	}
	walk.boundary(len(src), end)
}

// appendJoined appends the folded form of a character to that of the character before it, and reports whether it is
// only a mark of that character.
func appendJoined(before, char []byte) (joined []byte, marks bool) {
	r, size := utf8.DecodeRune(char)
	if r == utf8.RuneError && size == 1 {
		return append(before, char...), completes(before, char[0])
	}
	found := lookup(r)
	if found < plainLimit {
		return utf8.AppendRune(before, rune(found)), false
	}
	joined = appendSpecial(bytes.Clone(before), 0, r, found)
	return joined, len(joined) == len(before) || !bytes.HasPrefix(joined, before)
}

// completes reports whether a stray byte continues the sequence that the folded text ends with. If a mark between
// them was dropped, they form a letter, which may combine with what follows.
func completes(before []byte, next byte) bool {
	if utf8.RuneStart(next) {
		return false
	}
	for size := 1; size < utf8.UTFMax && size <= len(before); size++ {
		if tail := before[len(before)-size:]; utf8.RuneStart(tail[0]) {
			return !utf8.FullRune(tail)
		}
	}
	return false
}

// aligner walks over the characters of a source.
type aligner struct {
	ranges []Range // not yet aligned
	inside bool    // the start of the first range is aligned
	before int     // where the last character starts in the source
}

// boundary records that a character starts at an offset of the source, and at an offset of the folded text.
func (a *aligner) boundary(source, folded int) {
	for len(a.ranges) > 0 {
		first := &a.ranges[0]
		if !a.inside && first.Start >= folded {
			break
		}
		if !a.inside {
			first.Start, a.inside = a.before, true
		}
		if first.End > folded {
			break
		}
		first.End, a.inside = source, false
		a.ranges = a.ranges[1:]
	}
	a.before = source
}
