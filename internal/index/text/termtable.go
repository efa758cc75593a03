package text

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
)

// termTable numbers terms in the order in which they first appear.
type termTable struct {
	slots []slot
	ends  []uint32
	blob  []byte
}

// slot is a term in the table. The first and last eight bytes and the length identify most terms, so that the blob
// need not be read.
type slot struct {
	head, tail uint64
	sum        uint32
	sized      uint32 // its number plus one in the lower bits, its length in the upper bits
}

// sizeShift is where the length begins in slot.sized. It limits the number of terms.
const sizeShift = 25

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
	head, tail := headOf(term), uint64(0)
	if len(term) > 8 {
		tail = binary.LittleEndian.Uint64(term[len(term)-8:])
	}
	sum := uint32(mix(mix(head^uint64(len(term)))^tail) >> 20)
	mask := uint32(len(t.slots) - 1)
	for at := sum & mask; ; at = (at + 1) & mask {
		found := &t.slots[at]
		if found.head == head && found.tail == tail && found.sized>>sizeShift == uint32(len(term)) {
			id := found.sized&(1<<sizeShift-1) - 1
			if len(term) <= 16 || string(t.text(id)) == string(term) {
				return id
			}
		}
		if found.sized == 0 {
			t.blob = append(t.blob, term...)
			t.ends = append(t.ends, uint32(len(t.blob)))
			*found = slot{head, tail, sum, uint32(len(t.ends)) | uint32(len(term))<<sizeShift}
			return uint32(len(t.ends) - 1)
		}
	}
}

// headOf returns the first eight bytes of a term; a shorter one is padded with zeros.
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

// prepare makes room for about the given number of terms.
func (t *termTable) prepare(terms int) {
	size := 256
	for size < 4*terms {
		size *= 2
	}
	t.slots = make([]slot, size)
}

func (t *termTable) grow() {
	old := t.slots
	t.prepare(max(64, len(old)))
	mask := uint32(len(t.slots) - 1)
	for _, term := range old {
		if term.sized == 0 {
			continue
		}
		at := term.sum & mask
		for t.slots[at].sized != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = term
	}
}

func (t *termTable) reset() {
	clear(t.slots)
	t.ends, t.blob = t.ends[:0], t.blob[:0]
}

// sorted lists the numbers of all terms, sorted by their bytes.
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
	for i, term := range all {
		order[i] = term.id
	}
	return order
}

// mix spreads terms over the table.
func mix(v uint64) uint64 {
	v *= 0xD6E8FEB86659FD93
	return v ^ v>>32
}
