package merge

// mostEdits is how many lines may differ for the shortest edit to be looked for; beyond, the rest counts as replaced.
const mostEdits = 4000

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
