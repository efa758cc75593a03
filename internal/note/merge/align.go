package merge

import (
	"iter"
	"slices"
)

// hunk is a part of three texts that lies between two lines, or words, that all three have.
type hunk struct{ baseFrom, baseTo, oursFrom, oursTo, theirsFrom, theirsTo int }

// hunks returns the parts of three texts in order. At the end of each part but the last is an item that all three have.
func hunks(base, ours, theirs []string) iter.Seq[hunk] {
	inOurs, inTheirs := places(base, ours), places(base, theirs)
	return func(yield func(hunk) bool) {
		h := hunk{}
		for h.baseFrom <= len(base) {
			h.baseTo, h.oursTo, h.theirsTo = h.baseFrom, len(ours), len(theirs)
			for h.baseTo < len(base) && (inOurs[h.baseTo] < 0 || inTheirs[h.baseTo] < 0) {
				h.baseTo++
			}
			if h.baseTo < len(base) {
				h.oursTo, h.theirsTo = inOurs[h.baseTo], inTheirs[h.baseTo]
			}
			if !yield(h) {
				return
			}
			h = hunk{baseFrom: h.baseTo + 1, oursFrom: h.oursTo + 1, theirsFrom: h.theirsTo + 1}
		}
	}
}

// places returns, for each item of the base, the index of the same item in a side, or -1.
func places(base, side []string) []int {
	at := make([]int, len(base))
	for i := range at {
		at[i] = -1
	}
	for _, same := range align(base, side) {
		at[same.a] = same.b
	}
	return at
}

// mostEdits limits the search for the shortest edit, whose memory grows with the square: 8 MB here. If more items differ, everything
// between the first and the last difference counts as replaced.
const mostEdits = 1000

// pair says that a line of one text is the same as a line of another.
type pair struct{ a, b int }

// align returns the longest common subsequence of two texts, whose lines are given by their keys.
func align(a, b []string) (same []pair) {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		same = append(same, pair{start, start})
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA--
		endB--
	}
	for _, found := range shortest(a[start:endA], b[start:endB]) {
		same = append(same, pair{start + found.a, start + found.b})
	}
	for i := range len(a) - endA {
		same = append(same, pair{endA + i, endB + i})
	}
	return same
}

// alignEither is align with the same outcome in whatever order the texts are given.
func alignEither(a, b []string) []pair {
	if slices.Compare(a, b) <= 0 {
		return align(a, b)
	}
	same := align(b, a)
	for i, found := range same {
		same[i] = pair{found.b, found.a}
	}
	return same
}

// shortest finds the shortest edit from a to b by Myers' greedy algorithm, and returns what it leaves as it is.
func shortest(a, b []string) []pair {
	most := min(len(a)+len(b), mostEdits)
	ends := make([]int, 2*most+2) // by diagonal: how far a was reached
	var steps [][]int
	for edits := 0; edits <= most; edits++ {
		steps = append(steps, append([]int(nil), ends[most-edits:most+edits+2]...))
		for diagonal := -edits; diagonal <= edits; diagonal += 2 {
			x := 0
			if at := most + diagonal; edits > 0 && (diagonal == -edits || diagonal != edits && ends[at-1] < ends[at+1]) {
				x = ends[at+1]
			} else if edits > 0 {
				x = ends[at-1] + 1
			}
			for x < len(a) && x-diagonal < len(b) && a[x] == b[x-diagonal] {
				x++
			}
			ends[most+diagonal] = x
			if x >= len(a) && x-diagonal >= len(b) {
				return trace(steps, len(a), len(b))
			}
		}
	}
	return nil
}

// trace walks back from the ends of both texts, and collects the steps along diagonals. steps has, for each number of edits, how
// far each diagonal from -edits on was reached before.
func trace(steps [][]int, x, y int) (same []pair) {
	for edits := len(steps) - 1; edits > 0; edits-- {
		before := func(diagonal int) int { return steps[edits][diagonal+edits] }
		diagonal := x - y
		previous := diagonal - 1
		if diagonal == -edits || diagonal != edits && before(diagonal-1) < before(diagonal+1) {
			previous = diagonal + 1
		}
		startX := before(previous)
		startY := startX - previous
		for x > startX && y > startY {
			x, y = x-1, y-1
			same = append(same, pair{x, y})
		}
		x, y = startX, startY
	}
	for x > 0 && y > 0 {
		x, y = x-1, y-1
		same = append(same, pair{x, y})
	}
	for i, j := 0, len(same)-1; i < j; i, j = i+1, j-1 {
		same[i], same[j] = same[j], same[i]
	}
	return same
}
