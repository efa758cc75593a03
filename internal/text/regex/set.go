package regex

import (
	"cmp"
	"slices"
	"unicode"

	"obsidian-mcp/internal/text/order"
)

// span is the characters from lo to hi, both included.
type span struct{ lo, hi rune }

// set is a set of characters or, for a class of bytes, of bytes: spans in order that neither overlap nor touch.
type set []span

// anyRune is every character. Surrogates are not included, because UTF-8 cannot encode them.
var anyRune = set{{0, 0xd7ff}, {0xe000, unicode.MaxRune}}

// anyByte is every byte, in a class of bytes.
var anyByte = set{{0, 0xff}}

func single(r rune) set { return set{{r, r}} }

// newSet makes a set of spans in any order.
func newSet(spans ...span) set {
	return normalize(slices.Clone(spans))
}

// normalize sorts and joins spans in place.
func normalize(spans []span) set {
	order.By(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, s.hi)
			continue
		}
		out = append(out, s)
	}
	return out
}

// tableSet returns the set of tables of package unicode.
func tableSet(tables ...*unicode.RangeTable) set {
	var spans []span
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			spans = append(spans, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			spans = append(spans, span{r, r})
		}
	}
	for _, table := range tables {
		for _, r := range table.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range table.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return normalize(spans)
}

func (s set) has(r rune) bool {
	_, found := slices.BinarySearchFunc(s, r, func(s span, r rune) int {
		switch {
		case s.hi < r:
			return -1
		case s.lo > r:
			return 1
		}
		return 0
	})
	return found
}

// size returns the number of characters.
func (s set) size() int {
	n := 0
	for _, span := range s {
		n += int(span.hi-span.lo) + 1
	}
	return n
}

func (s set) union(others ...set) set {
	all := slices.Clone([]span(s))
	for _, other := range others {
		all = append(all, other...)
	}
	return normalize(all)
}

func (s set) intersect(other set) set {
	var out set
	for i, j := 0, 0; i < len(s) && j < len(other); {
		lo, hi := max(s[i].lo, other[j].lo), min(s[i].hi, other[j].hi)
		if lo <= hi {
			out = append(out, span{lo, hi})
		}
		if s[i].hi < other[j].hi {
			i++
		} else {
			j++
		}
	}
	return out
}

// minus returns the characters of s that are not in other. It walks both once, so that a long chain of operations
// stays cheap.
func (s set) minus(other set) set {
	var out set
	j := 0
	for _, a := range s {
		for j < len(other) && other[j].hi < a.lo {
			j++
		}
		lo := a.lo
		for k := j; k < len(other) && other[k].lo <= a.hi; k++ {
			if other[k].lo > lo {
				out = append(out, span{lo, other[k].lo - 1})
			}
			lo = other[k].hi + 1
		}
		if lo <= a.hi {
			out = append(out, span{lo, a.hi})
		}
	}
	return out
}

// exclusive returns the characters that are in exactly one of the sets.
func (s set) exclusive(other set) set {
	return s.union(other).minus(s.intersect(other))
}

// scalar returns the set without surrogates; the same set if it has none.
func (s set) scalar() set {
	i, _ := slices.BinarySearchFunc(s, rune(0xd800), func(s span, r rune) int { return cmp.Compare(s.hi, r) })
	if i == len(s) || s[i].lo > 0xdfff {
		return s
	}
	return s.intersect(anyRune)
}
