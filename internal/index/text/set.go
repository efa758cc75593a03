package text

import (
	"iter"
	"math/bits"
)

// Set is a set of documents by their numbers.
type Set []uint64

// NewSet makes an empty set for documents below a number.
func NewSet(docs int) Set { return make(Set, (docs+63)/64) }

// Add puts a document into the set.
func (s Set) Add(doc int) { s[doc>>6] |= 1 << (doc & 63) }

// Has reports whether a document is in the set.
func (s Set) Has(doc int) bool { return doc>>6 < len(s) && s[doc>>6]&(1<<(doc&63)) != 0 }

// Len is the number of documents in the set.
func (s Set) Len() int {
	count := 0
	for _, word := range s {
		count += bits.OnesCount64(word)
	}
	return count
}

func (s Set) isEmpty() bool {
	for _, word := range s {
		if word != 0 {
			return false
		}
	}
	return true
}

// And keeps only the documents that are in the other set too.
func (s Set) And(other Set) {
	for i := range s {
		s[i] &= other[i]
	}
}

// Or adds the documents of the other set.
func (s Set) Or(other Set) {
	for i := range s {
		s[i] |= other[i]
	}
}

// Without removes the documents of the other set.
func (s Set) Without(other Set) {
	for i := range s {
		s[i] &^= other[i]
	}
}

// All yields the documents in ascending order.
func (s Set) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(i<<6 | bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
