package text

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// termTable numbers terms as they come.
type termTable struct {
	slots []slot
	ends  []uint32
	blob  []byte
}

// slot is a term in the table. Most terms are so short that its head is all
// of it, and nothing else need be looked at: terms have no zero bytes.
type slot struct {
	head uint64 // the first eight bytes
	sum  uint32
	id   uint32 // plus one
}

func (t *termTable) len() int { return len(t.ends) }

func (t *termTable) text(id uint32) []byte {
	start := uint32(0)
	if id > 0 {
		start = t.ends[id-1]
	}
	return t.blob[start:t.ends[id]]
}

func (t *termTable) id(term []byte) uint32 {
	if len(t.ends)*2 >= len(t.slots) {
		t.grow()
	}
	head := headOf(term)
	sum := hashOf(term, head)
	mask := uint32(len(t.slots) - 1)
	for at := sum & mask; ; at = (at + 1) & mask {
		found := &t.slots[at]
		if found.id == 0 {
			t.blob = append(t.blob, term...)
			t.ends = append(t.ends, uint32(len(t.blob)))
			*found = slot{head, sum, uint32(len(t.ends))}
			return uint32(len(t.ends) - 1)
		}
		if found.sum == sum && found.head == head && (len(term) < 8 || string(t.text(found.id-1)) == string(term)) {
			return found.id - 1
		}
	}
}

// headOf is the first eight bytes of a term, with zeros behind a shorter one.
func headOf(term []byte) uint64 {
	if len(term) >= 8 {
		return binary.LittleEndian.Uint64(term)
	}
	var head uint64
	for i, c := range term {
		head |= uint64(c) << (8 * i)
	}
	return head
}

func (t *termTable) grow() {
	old := t.slots
	t.slots = make([]slot, max(1024, 4*len(old)))
	mask := uint32(len(t.slots) - 1)
	for _, one := range old {
		if one.id == 0 {
			continue
		}
		at := one.sum & mask
		for t.slots[at].id != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = one
	}
}

func (t *termTable) reset() {
	clear(t.slots)
	t.ends, t.blob = t.ends[:0], t.blob[:0]
}

// sorted lists the numbers of all terms in the order of their bytes.
func (t *termTable) sorted() []uint32 {
	type keyed struct {
		head uint64 // the first eight bytes
		id   uint32
	}
	all := make([]keyed, t.len())
	for i := range all {
		var head [8]byte
		copy(head[:], t.text(uint32(i)))
		all[i] = keyed{binary.BigEndian.Uint64(head[:]), uint32(i)}
	}
	slices.SortFunc(all, func(a, b keyed) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return bytes.Compare(t.text(a.id), t.text(b.id))
	})
	order := make([]uint32, len(all))
	for i, one := range all {
		order[i] = one.id
	}
	return order
}

// hashOf spreads terms over the table; eight bytes at a time.
func hashOf(term []byte, head uint64) uint32 {
	sum := mix(head ^ uint64(len(term))*0x9E3779B97F4A7C15)
	for len(term) > 8 {
		term = term[8:]
		sum = mix(sum ^ headOf(term))
	}
	return uint32(sum ^ sum>>32)
}

func mix(v uint64) uint64 {
	v *= 0xD6E8FEB86659FD93
	return v ^ v>>32
}
