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
	slots []uint32 // a hash table: the number of a term plus one
	keys  []termKey
	ends  []uint32
	blob  []byte

	recent []recentTerm // by hash; empty if few terms are expected
}

// recentTerm is a recently looked-up term. A few terms account for most occurrences, so this small cache answers most lookups.
type recentTerm struct {
	key termKey
	id  uint32
}

// termKey identifies a term. A short term is stored whole, padded with zeros; terms never contain zero bytes. For a longer
// term, head has the first eight bytes and tail a hash. The hash's lowest byte is zero and the next one is not, so no short
// term has the same tail.
type termKey struct{ head, tail uint64 }

// wholeKey is the length of the longest term that fits into a key.
const wholeKey = 16

// keyOf returns the key of a term that fits into one.
func keyOf(term []byte) termKey {
	if len(term) <= 8 {
		return termKey{head: firstBytes(term)}
	}
	return termKey{binary.LittleEndian.Uint64(term), firstBytes(term[8:])}
}

// longKey returns the key of a term that does not fit into one.
func longKey(term []byte) termKey {
	key := termKey{head: binary.LittleEndian.Uint64(term)}
	for rest := term[8:]; len(rest) > 0; rest = rest[min(8, len(rest)):] {
		key.tail = mix(key.tail ^ firstBytes(rest))
	}
	key.tail = key.tail&^0xFFFF | 0x100
	return key
}

// firstBytes returns the first eight bytes of a text; a shorter one is followed by zeros.
func firstBytes(text []byte) uint64 {
	switch {
	case len(text) >= 8:
		return binary.LittleEndian.Uint64(text)
	case cap(text) >= 8:
		return binary.LittleEndian.Uint64(text[:8]) & (1<<(8*len(text)) - 1)
	}
	var first uint64
	for i, c := range text {
		first |= uint64(c) << (8 * i)
	}
	return first
}

// sum is the hash of a key.
func (k termKey) sum() uint32 { return uint32(mix(mix(k.head) ^ k.tail)) }

func (k termKey) isLong() bool { return k.tail != 0 && byte(k.tail) == 0 }

// length is the length of the term, which must fit into the key.
func (k termKey) length() int {
	if k.tail != 0 {
		return wholeKey - bits.LeadingZeros64(k.tail)/8
	}
	return 8 - bits.LeadingZeros64(k.head)/8
}

// put writes the term, padded with zeros to wholeKey bytes. The term must fit into the key.
func (k termKey) put(out []byte) {
	binary.LittleEndian.PutUint64(out[8:], k.tail)
	binary.LittleEndian.PutUint64(out, k.head)
}

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
	if len(term) > wholeKey {
		return t.numberOf(longKey(term), term)
	}
	return t.numberOf(keyOf(term), nil)
}

// numberOf returns the number of the term with this key, adding it if it is new. long is nil if the key holds the whole term.
func (t *termTable) numberOf(key termKey, long []byte) uint32 {
	if len(t.ends)*2 >= len(t.slots) {
		t.grow()
	}
	mask := uint32(len(t.slots) - 1)
	for at := key.sum() & mask; ; at = (at + 1) & mask {
		id := t.slots[at] - 1
		if id == ^uint32(0) {
			t.add(key, long)
			t.slots[at] = uint32(len(t.ends))
			return uint32(len(t.ends) - 1)
		}
		if t.keys[id] == key && (long == nil || bytes.Equal(t.text(id), long)) {
			return id
		}
	}
}

// add appends a new term.
func (t *termTable) add(key termKey, long []byte) {
	if long == nil {
		var whole [wholeKey]byte
		key.put(whole[:])
		long = whole[:key.length()]
	}
	t.blob = append(t.blob, long...)
	t.ends = append(t.ends, uint32(len(t.blob)))
	t.keys = append(t.keys, key)
}

// recentTerms is the number of cached terms. They fit into the L2 cache of a processor.
const recentTerms = 4096

// lately returns the number of a recently looked-up term.
func (t *termTable) lately(key termKey) (id uint32, ok bool) {
	if len(t.recent) != recentTerms {
		return 0, false
	}
	recent := &t.recent[key.sum()%recentTerms]
	return recent.id, recent.key == key
}

// batchSize is how many terms are looked up together.
const batchSize = 64

// ids looks up several short terms at once. Looking them up one by one would mostly wait for memory; in a batch, the
// processor overlaps the memory accesses.
func (t *termTable) ids(terms []termKey, ids *[batchSize]uint32) {
	if len(t.slots) == 0 {
		t.grow()
	}
	mask := uint32(len(t.slots) - 1)
	for i := range terms {
		ids[i] = t.slots[terms[i].sum()&mask] - 1
	}
	var known [batchSize]bool
	for i := range terms {
		if id := ids[i]; id < uint32(len(t.keys)) {
			known[i] = t.keys[id] == terms[i]
		}
	}
	for i := range terms {
		if !known[i] { // it is new, or not where it is looked for first
			ids[i] = t.numberOf(terms[i], nil)
		}
	}
	if len(t.recent) == recentTerms {
		for i, key := range terms {
			t.recent[key.sum()%recentTerms] = recentTerm{key, ids[i]}
		}
	}
}

// prepare makes room for about the given number of terms. Memory that stays unused is not touched.
func (t *termTable) prepare(terms int) {
	t.keys, t.ends, t.blob = make([]termKey, 0, 3*terms), make([]uint32, 0, 3*terms), make([]byte, 0, 30*terms)
	t.recent = make([]recentTerm, recentTerms)
	t.rehash(4 * terms)
}

// rehash makes a hash table of at least the given size.
func (t *termTable) rehash(least int) {
	size := 256
	for size < least {
		size *= 2
	}
	t.slots = make([]uint32, size)
	mask := uint32(size - 1)
	for id := range t.keys {
		at := t.keys[id].sum() & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = uint32(id + 1)
	}
}

func (t *termTable) grow() { t.rehash(4 * len(t.slots)) }

func (t *termTable) reset() {
	clear(t.slots)
	clear(t.recent)
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

// texts concatenates the terms in the given order and returns the end offset of each.
func (t *termTable) texts(order []uint32, blob []byte) (all []byte, ends []uint32) {
	blob = slices.Grow(blob[:0], len(t.blob)+wholeKey)[:len(t.blob)+wholeKey]
	ends = make([]uint32, len(order))
	end := 0
	for i, id := range order {
		if key := t.keys[id]; key.isLong() {
			end += copy(blob[end:], t.text(id))
		} else {
			key.put(blob[end:])
			end += key.length()
		}
		ends[i] = uint32(end)
	}
	return blob[:end], ends
}

// mix spreads terms over the table.
func mix(v uint64) uint64 {
	v *= 0xD6E8FEB86659FD93
	return v ^ v>>32
}
