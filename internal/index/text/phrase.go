package text

import (
	"bytes"
	"runtime"
)

// rarest are the two runs of a phrase with the fewest places; nil where the
// segment lacks one of the runs. Whole says that all of them are whole tokens:
// then they must stand at their distances from each other. That holds for
// phrases in ASCII, since only two characters that are not ASCII read like one
// that is.
func (s *Segment) rarest(runs []run) (first, second *anchor, whole bool) {
	sizes := [2]int{}
	for _, one := range runs {
		if one.at != fromStart|toEnd {
			return nil, nil, false
		}
	}
	for _, one := range runs {
		var found *anchor
		size := 0
		s.matching(one.text, one.at, func(n int) { found, size = &anchor{one, []int{n}}, len(s.placesOf(n)) })
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

// odd reports a segment whose texts have a Kelvin sign or a long s, which read
// like k and s.
func (s *Segment) odd() bool {
	s.oddOnce.Do(func() {
		s.isOdd = bytes.Contains(s.text, []byte("\u212a")) || bytes.Contains(s.text, []byte("\u017f"))
	})
	return s.isOdd
}

// together adds the documents in which two runs of a phrase stand at their
// distance, and the rest of it around them.
func (c *collector) together(p *part, check *checker, a, b *anchor) {
	segment := p.get()
	first, second := newPostings(segment.documents(a.terms[0])), newPostings(segment.documents(b.terms[0]))
	firstPlaces, secondPlaces := placeReader{segment.placesOf(a.terms[0])}, placeReader{segment.placesOf(b.terms[0])}
	distance := int32(b.run.from - a.run.from)
	var others []int32
	second.next()
	for first.next() {
		if p.dead.Has(first.doc) {
			firstPlaces.skip(first.count)
			continue
		}
		for second.doc < first.doc {
			secondPlaces.skip(second.count)
			if !second.next() {
				return
			}
		}
		if second.doc != first.doc {
			firstPlaces.skip(first.count)
			continue
		}
		check.places = firstPlaces.take(first.count, check.places[:0])
		others = secondPlaces.take(second.count, others[:0])
		check.places = apart(check.places, others, distance)
		if found := check.count(segment.Text(first.doc)); found > 0 {
			c.add(p, segment, first.doc, float32(found))
		}
		second.count = 0 // its places are read
	}
	runtime.KeepAlive(segment)
}

// apart keeps those places that have one of the others at a distance.
func apart(places, others []int32, distance int32) []int32 {
	kept, i := places[:0], 0
	for _, at := range places {
		for i < len(others) && others[i] < at+distance {
			i++
		}
		if i < len(others) && others[i] == at+distance {
			kept = append(kept, at)
		}
	}
	return kept
}
