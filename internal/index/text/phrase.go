package text

import (
	"bytes"
	"runtime"
)

// rarest returns the two runs of a phrase with the fewest positions, or nil if the segment lacks a run. It is
// usable only if all runs are complete tokens: then they must be at fixed distances from each other. That holds for
// phrases in ASCII, because only two characters outside of ASCII fold to ASCII characters; see odd.
func (s *Segment) rarest(runs []run) (first, second *anchor, usable bool) {
	sizes := [2]int{}
	for _, run := range runs {
		if run.edges != fromStart|toEnd {
			return nil, nil, false
		}
	}
	for _, run := range runs {
		var found *anchor
		size := 0
		s.matching(run.text, run.edges, func(n int) {
			found, size = &anchor{run, []int{n}}, len(s.positionsOf(n))
		})
		switch {
		case found == nil:
			return nil, nil, true
		case first == nil || size < sizes[0]:
			first, second = found, first
			sizes = [2]int{size, sizes[0]}
		case second == nil || size < sizes[1]:
			second, sizes[1] = found, size
		}
	}
	return first, second, true
}

// odd reports whether a text of the segment has a Kelvin sign or a long s, which fold to k and s.
func (s *Segment) odd() bool {
	s.oddOnce.Do(func() {
		s.isOdd = bytes.Contains(s.text, []byte("\u212a")) || bytes.Contains(s.text, []byte("\u017f"))
	})
	return s.isOdd
}

// muchRarer is how many times smaller the list of a run is if it is not worth reading that of another run.
const muchRarer = 32

// phrase adds the documents that have two runs of a phrase at the right distance, with the rest of the phrase
// around them.
func (c *collector) phrase(p *part, check *checker, a, b *anchor) {
	segment := p.batch.segment()
	if len(segment.positionsOf(a.terms[0]))*muchRarer < len(segment.positionsOf(b.terms[0])) {
		c.around(p, check, a.terms[0], nil)
		return
	}
	first, second := newPostings(segment.documents(a.terms[0])), newPostings(segment.documents(b.terms[0]))
	firstPositions, secondPositions := positionReader{segment.positionsOf(a.terms[0])}, positionReader{segment.positionsOf(b.terms[0])}
	distance := int32(b.run.from - a.run.from)
	var others []int32
	second.next()
	for first.next() {
		if !c.wants(p, first.doc) {
			firstPositions.skip(first.count)
			continue
		}
		for second.doc < first.doc {
			secondPositions.skip(second.count)
			if !second.next() {
				return
			}
		}
		if second.doc != first.doc {
			firstPositions.skip(first.count)
			continue
		}
		check.positions = firstPositions.take(first.count, check.positions[:0])
		others = secondPositions.take(second.count, others[:0])
		check.positions = apart(check.positions, others, distance)
		c.check(p, check, first.doc)
		second.count = 0 // its positions have been read
	}
	runtime.KeepAlive(segment)
}

// apart keeps the positions that have one of the others at a distance.
func apart(positions, others []int32, distance int32) []int32 {
	matching, i := positions[:0], 0
	for _, at := range positions {
		for i < len(others) && others[i] < at+distance {
			i++
		}
		if i < len(others) && others[i] == at+distance {
			matching = append(matching, at)
		}
	}
	return matching
}
