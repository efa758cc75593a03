package text

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// termTable numbers terms in the order in which they first appear. Common terms are numbered early, so that what is known
// about them is close together in memory.
type termTable struct {
	slots []uint64 // a hash table: the mark of a term in the upper half, its number plus one in the lower
	keys  []termKey
	ends  []uint32
	blob  []byte
}

// termKey has the first and last eight bytes of a term. With its length they identify most terms, so that the blob need not
// be read.
type termKey struct{ head, tail uint64 }

func (t *termTable) len() int { return len(t.ends) }

func (t *termTable) text(id uint32) []byte {
	start := uint32(0)
	if id > 0 {
		start = t.ends[id-1]
	}
	return t.blob[start:t.ends[id]]
}

// id returns the number of a term.
func (t *termTable) id(term []byte) uint32 {
	if len(t.ends)*2 >= len(t.slots) {
		t.grow()
	}
	key := keyOf(term)
	sum := key.sum(len(term))
	mark, mask := markOf(sum, len(term)), uint32(len(t.slots)-1)
	for at := uint32(sum) & mask; ; at = (at + 1) & mask {
		found := t.slots[at]
		if found>>32 == mark {
			id := uint32(found) - 1
			if t.keys[id] == key && (len(term) <= wholeKey || string(t.text(id)) == string(term)) {
				return id
			}
		}
		if found == 0 {
			t.blob = append(t.blob, term...)
			t.ends = append(t.ends, uint32(len(t.blob)))
			t.keys = append(t.keys, key)
			t.slots[at] = mark<<32 | uint64(len(t.ends))
			return uint32(len(t.ends) - 1)
		}
	}
}

// wholeKey is the length of the longest term that fits into a key.
const wholeKey = 16

func keyOf(term []byte) termKey {
	key := termKey{head: headOf(term)}
	if len(term) > 8 {
		key.tail = binary.LittleEndian.Uint64(term[len(term)-8:])
	}
	return key
}

// appendTerm appends the term of a key, which must be no longer than wholeKey.
func (k termKey) appendTerm(buf []byte, length int) []byte {
	start := len(buf)
	buf = binary.LittleEndian.AppendUint64(buf, k.head)
	if length <= 8 {
		return buf[:start+length]
	}
	return binary.LittleEndian.AppendUint64(buf[:start+length-8], k.tail)
}

// asked is a term whose number is wanted.
type asked struct {
	key    termKey
	sum    uint64
	length int
}

// batchSize is how many terms are looked up together.
const batchSize = 64

// ids finds the numbers of several terms. Looking them up one after the other would spend most of the time waiting for
// memory; here the processor fetches what it needs for all of them at once.
func (t *termTable) ids(terms []asked, ids *[batchSize]uint32) {
	var found [batchSize]uint64
	if mask := uint32(len(t.slots) - 1); len(t.slots) > 0 {
		for i := range terms {
			found[i] = t.slots[uint32(terms[i].sum)&mask]
		}
	}
	var known [batchSize]bool
	for i := range terms {
		if id := uint32(found[i]) - 1; found[i]>>32 == markOf(terms[i].sum, terms[i].length) {
			ids[i], known[i] = id, t.keys[id] == terms[i].key
		}
	}
	var buf [2 * wholeKey]byte
	for i := range terms {
		if !known[i] { // it is new, or not where it is looked for first
			ids[i] = t.id(terms[i].key.appendTerm(buf[:0], terms[i].length))
		}
	}
}

// sum is the hash of a term of a length.
func (k termKey) sum(length int) uint64 { return mix(mix(k.head^uint64(length)) ^ k.tail) }

// markOf has the upper bits of the hash of a term, and its length, which is at most maxTerm.
func markOf(sum uint64, length int) uint64 { return sum>>40<<7 | uint64(length) }

// headOf returns the first eight bytes of a term; a shorter one is padded with zeros.
func headOf(term []byte) uint64 {
	switch {
	case len(term) >= 8:
		return binary.LittleEndian.Uint64(term)
	case cap(term) >= 8:
		return binary.LittleEndian.Uint64(term[:8]) & (1<<(8*len(term)) - 1)
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
	t.slots = make([]uint64, size)
}

func (t *termTable) grow() {
	t.prepare(max(64, len(t.slots)))
	mask := uint32(len(t.slots) - 1)
	start := uint32(0)
	for id, end := range t.ends {
		length := int(end - start)
		sum := t.keys[id].sum(length)
		at := uint32(sum) & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = markOf(sum, length)<<32 | uint64(id+1)
		start = end
	}
}

func (t *termTable) reset() {
	clear(t.slots)
	t.keys, t.ends, t.blob = t.keys[:0], t.ends[:0], t.blob[:0]
}

// headed is a term with its first eight bytes, the most significant first.
type headed struct {
	head uint64
	id   uint32
}

// sorted lists the numbers of all terms, sorted by their bytes.
func (t *termTable) sorted() []uint32 {
	all := make([]headed, t.len())
	for i := range all {
		all[i] = headed{bits.ReverseBytes64(t.keys[i].head), uint32(i)}
	}
	all = byHead(all)
	order := make([]uint32, len(all))
	for i := 0; i < len(all); {
		run := i
		for ; i < len(all) && all[i].head == all[run].head; i++ {
			order[i] = all[i].id
		}
		if i-run > 1 {
			slices.SortFunc(order[run:i], func(a, b uint32) int { return bytes.Compare(t.text(a), t.text(b)) })
		}
	}
	return order
}

// byHead sorts terms by their first bytes, in linear time: by the last of these first.
func byHead(all []headed) []headed {
	other := make([]headed, len(all))
	for shift := 0; shift < 64; shift += 8 {
		var next [256]int
		for _, term := range all {
			next[byte(term.head>>shift)]++
		}
		start := 0
		for digit, count := range next {
			next[digit] = start
			start += count
		}
		for _, term := range all {
			digit := byte(term.head >> shift)
			other[next[digit]] = term
			next[digit]++
		}
		all, other = other, all
	}
	return all
}

// mix spreads terms over the table.
func mix(v uint64) uint64 {
	v *= 0xD6E8FEB86659FD93
	return v ^ v>>32
}
