// Package shingle tells whether texts say nearly the same. It compares runs of a few words, which are called shingles.
package shingle

import (
	"math"
	"slices"
	"sync"

	"obsidian-mcp/internal/text/words"
)

// Set is the shingles of a text as hashes, in ascending order.
type Set []uint64

// run is how many words a shingle has.
const run = 4

// Of returns all shingles of a text. A text of fewer words is one shingle.
func Of(text []byte) Set {
	set := appendBelow(nil, text, math.MaxUint64)
	slices.Sort(set)
	return slices.Compact(set)
}

// longWord is how many bytes a word of a text with long words has, with the space behind it.
const longWord = 10

// Smallest returns the shingles of a text that have the smallest hashes, up to a limit. Those of two texts say nearly as
// much about their likeness as all shingles do.
func Smallest(text []byte, limit int) Set {
	likely := len(text) / longWord
	if limit >= likely/4 {
		set := Of(text)
		return set[:min(len(set), limit)]
	}
	// Hashes are even, so the wanted ones are probably below a small multiple of their share.
	most := math.MaxUint64 / uint64(likely) * uint64(2*limit)
	desk := desks.Get().(*desk)
	defer desks.Put(desk)
	desk.found = appendBelow(desk.found[:0], text, most)
	set := slices.Compact(desk.sort(most))
	if len(set) < limit {
		set = Of(text)
	}
	return slices.Clone(set[:min(len(set), limit)])
}

// appendBelow appends the shingles of a text that have hashes up to a limit, in their order in the text.
func appendBelow(set Set, text []byte, most uint64) Set {
	var last [run]uint64
	count, sum := 0, uint64(0)
	scanner := words.In(text)
	for word, ok := scanner.Next(); ok; word, ok = scanner.Next() {
		at := &last[count%run]
		sum = sum*base + word.Hash - *at*leaving
		*at = word.Hash
		if count++; count >= run {
			if hash := mix(sum); hash <= most {
				set = append(set, hash)
			}
		}
	}
	if hash := mix(sum); count > 0 && count < run && hash <= most {
		set = append(set, hash)
	}
	return set
}

// desk has memory for the smallest shingles of one text after the other.
type desk struct{ found, sorted Set }

var desks = sync.Pool{New: func() any { return new(desk) }}

// sort returns the found shingles in their order. Because hashes are even, their size says nearly where each belongs.
func (d *desk) sort(most uint64) Set {
	const parts = 256
	spread := math.MaxUint64 / max(most, 1)
	var ends [parts]int
	for _, hash := range d.found {
		ends[hash*spread>>56]++
	}
	for i := 1; i < parts; i++ {
		ends[i] += ends[i-1]
	}
	d.sorted = slices.Grow(d.sorted[:0], len(d.found))[:len(d.found)]
	for _, hash := range d.found {
		part := hash * spread >> 56
		ends[part]--
		d.sorted[ends[part]] = hash
	}
	for i := 1; i < len(d.sorted); i++ {
		for at := i; at > 0 && d.sorted[at] < d.sorted[at-1]; at-- {
			d.sorted[at], d.sorted[at-1] = d.sorted[at-1], d.sorted[at]
		}
	}
	return d.sorted
}

// The hash of a shingle is a polynomial of the hashes of its words: sum has the words so far, without the one that leaves.
const (
	base    = 0x100000001B3
	leaving = base * base % (1 << 64) * base % (1 << 64) * base % (1 << 64)
)

// mix spreads hashes evenly, because the smallest ones are kept.
func mix(v uint64) uint64 {
	v = (v ^ v>>32) * 0x9E3779B97F4A7C15
	return v ^ v>>29
}

// Shared is how many shingles two sets have in common.
func (s Set) Shared(other Set) (count int) {
	for len(s) > 0 && len(other) > 0 {
		switch {
		case s[0] < other[0]:
			s = s[1:]
		case s[0] > other[0]:
			other = other[1:]
		default:
			count++
			s, other = s[1:], other[1:]
		}
	}
	return count
}

// Contained is the share of the shingles of the smaller set that the other has too.
func (s Set) Contained(other Set) float64 {
	if len(s) == 0 || len(other) == 0 {
		return 0
	}
	return float64(s.Shared(other)) / float64(min(len(s), len(other)))
}

// Likeness is the share of all shingles of both sets that both have.
func (s Set) Likeness(other Set) float64 {
	shared := s.Shared(other)
	if all := len(s) + len(other) - shared; all > 0 {
		return float64(shared) / float64(all)
	}
	return 0
}
