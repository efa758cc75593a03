package pack

// table maps pieces to numbers. It is a hash table with linear probing, because each piece of all texts is looked up.
type table struct {
	pieces []piece
	values []uint32 // 0: the slot is empty
	count  int
}

func (t *table) slot(p piece) int {
	hash := (p.low ^ p.high*0x9E3779B97F4A7C15) * 0xD6E8FEB86659FD93
	hash ^= hash >> 32
	mask := len(t.pieces) - 1
	at := int(hash) & mask
	for t.values[at] != 0 && t.pieces[at] != p {
		at = (at + 1) & mask
	}
	return at
}

// value returns where the value of a piece is, which is 0 if the piece is new. It is valid until the next call.
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

// resize makes room for that many pieces, of which a power of two is needed, and keeps only those whose values are to be kept.
func (t *table) resize(size int, keep func(value uint32) bool) {
	old := *t
	*t = table{pieces: make([]piece, size), values: make([]uint32, size)}
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
