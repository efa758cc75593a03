// Package shingle tells whether texts say nearly the same. It compares runs of a few words, which are called shingles.
package shingle

import (
	"math"
	"slices"

	"obsidian-mcp/internal/text/words"
)

// Set is the shingles of a text as hashes, in ascending order.
type Set []uint64

// run is how many words a shingle has.
const run = 4

// Of returns all shingles of a text. A text of fewer words is one shingle.
func Of(text []byte) Set { return Smallest(text, math.MaxInt) }

// Smallest returns the shingles of a text that have the smallest hashes, up to a limit. Those of two texts say nearly as
// much about their likeness as all shingles do.
func Smallest(text []byte, limit int) Set {
	var set Set
	largest := uint64(math.MaxUint64)
	add := func(hash uint64) {
		if hash > largest {
			return
		}
		set = append(set, hash)
		if len(set) >= 2*limit && limit < math.MaxInt/2 {
			set = set.tidy(limit)
			if len(set) == limit {
				largest = set[limit-1]
			}
		}
	}
	var last [run]uint64
	count, sum := 0, uint64(0)
	scanner := words.In(text)
	for word, ok := scanner.Next(); ok; word, ok = scanner.Next() {
		at := &last[count%run]
		sum = sum*base + word.Hash - *at*leaving
		*at = word.Hash
		if count++; count >= run {
			add(mix(sum))
		}
	}
	if count > 0 && count < run {
		add(mix(sum))
	}
	return set.tidy(limit)
}

// The hash of a shingle is a polynomial of the hashes of its words: sum has the words so far, without the one that leaves.
const (
	base    = 0x100000001B3
	leaving = base * base % (1 << 64) * base % (1 << 64) * base % (1 << 64)
)

// tidy sorts the hashes, drops repeated ones and cuts the list to a limit.
func (s Set) tidy(limit int) Set {
	slices.Sort(s)
	s = slices.Compact(s)
	return s[:min(len(s), limit)]
}

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
