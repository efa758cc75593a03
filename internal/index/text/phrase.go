package text

import (
	"bytes"
	"runtime"
)

// partner is another run of a phrase that must stand at a fixed distance from
// its anchor; nil where the distance is not known. It is known for phrases in
// ASCII: only two characters that are not ASCII read like one that is.
func (s *Segment) partner(literal Literal, runs []run, with *anchor) *anchor {
	if !literal.Bounded || literal.Exact || len(with.terms) != 1 || s.odd() {
		return nil
	}
	var best *anchor
	least := 0
	for _, one := range runs {
		if one.from == with.run.from || one.at != fromStart|toEnd {
			continue
		}
		s.matching(one.text, one.at, func(n int) {
			if size := len(s.placesOf(n)); best == nil || size < least {
				best, least = &anchor{one, []int{n}}, size
			}
		})
	}
	return best
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
func (c *collector) together(p *part, candidates Set, check *checker, a, b *anchor) {
	segment := p.get()
	first, second := newPostings(segment.documents(a.terms[0])), newPostings(segment.documents(b.terms[0]))
	firstPlaces, secondPlaces := placeReader{segment.placesOf(a.terms[0])}, placeReader{segment.placesOf(b.terms[0])}
	distance := int32(b.run.from - a.run.from)
	var others []int32
	second.next()
	for first.next() {
		if !candidates.Has(first.doc) || p.dead.Has(first.doc) {
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
