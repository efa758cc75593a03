package pack

import (
	"hash/maphash"
	"math/bits"
)

// table maps pieces to numbers. It is a hash table with linear probing, faster than a map, because every piece of every text is
// looked up. The multipliers are secret, so that nobody can craft a text whose pieces collide.
type table struct {
	low, high uint64 // multipliers, odd
	pieces    []piece
	values    []uint32 // 0: the slot is empty
	count     int
}

func newTable() table {
	seed := maphash.MakeSeed()
	return table{low: maphash.String(seed, "low") | 1, high: maphash.String(seed, "high") | 1}
}

func (t *table) slot(p piece) int {
	mask := len(t.pieces) - 1
	at := int((p.low*t.low + p.high*t.high) >> bits.LeadingZeros64(uint64(mask)))
	for t.values[at] != 0 && t.pieces[at] != p {
		at = (at + 1) & mask
	}
	return at
}

// value returns a pointer to the value of a piece, 0 if the piece is new. The pointer is valid until the next call.
func (t *table) value(p piece) *uint32 {
	if t.count >= len(t.pieces)/4*3 {
		t.resize(max(1<<10, 2*len(t.pieces)), func(uint32) bool { return true })
	}
	at := t.slot(p)
	if t.values[at] == 0 {
		t.pieces[at] = p
		t.count++
	}
	return &t.values[at]
}

// resize changes the number of slots, which must be a power of two, and drops the pieces that keep rejects.
func (t *table) resize(size int, keep func(value uint32) bool) {
	old := *t
	t.pieces, t.values, t.count = make([]piece, size), make([]uint32, size), 0
	for i, value := range old.values {
		if value != 0 && keep(value) {
			at := t.slot(old.pieces[i])
			t.pieces[at], t.values[at] = old.pieces[i], value
			t.count++
		}
	}
}

// find returns the value of a piece, or 0.
func (t *table) find(p piece) uint32 { return t.values[t.slot(p)] }
