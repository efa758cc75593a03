package regex

import (
	"cmp"
	"slices"
	"sync"
	"unicode"

	"obsidian-mcp/internal/text/order"
)

// folding says which characters are equal when case is ignored: each character that has other cases, with its
// orbit, in order.
type folding []orbit

type orbit struct {
	r   rune
	all set // including r
}

// foldNew are the pairs that Unicode 15.1 and 16.0 added to simple case folding.
var foldNew = []pairs{
	{0x0264, 0xa7cb, 1}, {0x019b, 0xa7dc, 1}, {0x0390, 0x1fd3, 1}, {0x03b0, 0x1fe3, 1}, {0xfb05, 0xfb06, 1},
	{0x1c89, 0x1c8a, 1}, {0xa7cc, 0xa7cd, 1}, {0xa7da, 0xa7db, 1}, {0x10d50, 0x10d70, 22},
}

// pairs are n characters from upper on, and their n partners from lower on.
type pairs struct{ upper, lower, n rune }

// simpleFolding is Unicode's simple case folding.
var simpleFolding = sync.OnceValue(func() folding {
	var f folding
	eachCased(func(r rune) {
		all := []span{{r, r}}
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			all = append(all, span{o, o})
		}
		orbitOf := normalize(all)
		for _, member := range orbitOf {
			for r := member.lo; len(all) > 1 && r <= member.hi; r++ {
				f = append(f, orbit{r, orbitOf})
			}
		}
	})
	for _, p := range foldNew {
		for i := range p.n {
			both := newSet(span{p.upper + i, p.upper + i}, span{p.lower + i, p.lower + i})
			f = append(f, orbit{p.upper + i, both}, orbit{p.lower + i, both})
		}
	}
	return f.sorted()
})

// scriptFolding is JavaScript's flag i without its flag u: two characters are equal if their upper case is, but no
// character outside of ASCII equals one in ASCII.
var scriptFolding = sync.OnceValue(func() folding {
	groups := map[rune][]span{}
	upper := func(r rune) rune {
		if up := unicode.ToUpper(r); !upperIsLonger(r) && (r < 0x80 || up >= 0x80) {
			return up
		}
		return r
	}
	eachCased(func(r rune) { groups[upper(r)] = append(groups[upper(r)], span{r, r}) })
	var f folding
	for _, group := range groups {
		if len(group) < 2 {
			continue
		}
		all := newSet(group...)
		for _, s := range group {
			f = append(f, orbit{s.lo, all})
		}
	}
	return f.sorted()
})

// upperIsLonger reports whether r is a Greek letter whose upper case is two letters in JavaScript, which therefore
// does not fold it.
func upperIsLonger(r rune) bool {
	switch r {
	case 0x1fb3, 0x1fbc, 0x1fc3, 0x1fcc, 0x1ff3, 0x1ffc:
		return true
	}
	return 0x1f80 <= r && r <= 0x1faf
}

// eachCased calls f once for every character that case may change, in order.
func eachCased(f func(r rune)) {
	last := rune(-1)
	for _, c := range unicode.CaseRanges {
		for r := max(rune(c.Lo), last+1); r <= rune(c.Hi); r++ {
			f(r)
			last = r
		}
	}
}

func (f folding) sorted() folding {
	order.Stably(f, func(a, b orbit) int { return cmp.Compare(a.r, b.r) })
	return slices.CompactFunc(f, func(a, b orbit) bool { return a.r == b.r })
}

// of returns the set with everything that equals one of its members.
func (f folding) of(s set) set {
	all := slices.Clone([]span(s))
	i := 0
	for _, sp := range s {
		i += f[i:].from(sp.lo)
		for ; i < len(f) && f[i].r <= sp.hi; i++ {
			all = append(all, f[i].all...)
		}
	}
	return normalize(all)
}

// touched returns how many members of the set have other cases.
func (f folding) touched(s set) int {
	n := 0
	for _, sp := range s {
		n += f.from(sp.hi+1) - f.from(sp.lo)
	}
	return n
}

// orbit returns all characters that equal r, including r.
func (f folding) orbit(r rune) set {
	if i := f.from(r); i < len(f) && f[i].r == r {
		return f[i].all
	}
	return single(r)
}

// from returns the position of the first entry that is not below r.
func (f folding) from(r rune) int {
	i, _ := slices.BinarySearchFunc(f, r, func(o orbit, r rune) int { return cmp.Compare(o.r, r) })
	return i
}
