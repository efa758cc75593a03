package index

import (
	"encoding/binary"
	"math/bits"

	"obsidian-mcp/internal/note/vpath"
)

// table is an immutable hash map from strings to bytes that is read in place: slots with the offsets of records,
// then the records.
type table struct {
	slots   []byte
	records []byte
}

// tableWriter collects the records of a table.
type tableWriter struct {
	records []byte
	starts  []uint32
	sums    []uint32
}

func (w *tableWriter) add(key string, value []byte) {
	w.starts = append(w.starts, uint32(len(w.records)))
	w.sums = append(w.sums, sumOf(key))
	w.records = appendString(w.records, key)
	w.records = binary.AppendUvarint(w.records, uint64(len(value)))
	w.records = append(w.records, value...)
}

// bytes returns the finished table.
func (w *tableWriter) bytes() []byte {
	count := 1 << bits.Len(uint(len(w.starts)*3/2))
	out := make([]byte, 4+4*count, 4+4*count+len(w.records))
	binary.LittleEndian.PutUint32(out, uint32(count))
	slots := out[4:]
	for i, start := range w.starts {
		at := int(w.sums[i]) & (count - 1)
		for binary.LittleEndian.Uint32(slots[4*at:]) != 0 {
			at = (at + 1) & (count - 1)
		}
		binary.LittleEndian.PutUint32(slots[4*at:], start+1)
	}
	return append(out, w.records...)
}

// openTable reads what a tableWriter made.
func openTable(data []byte) (table, bool) {
	if len(data) < 4 {
		return table{}, false
	}
	count := int(binary.LittleEndian.Uint32(data))
	if count == 0 || count&(count-1) != 0 || len(data) < 4+4*count {
		return table{}, false
	}
	return table{slots: data[4 : 4+4*count], records: data[4+4*count:]}, true
}

// get returns the value of a key, or nil.
func (t table) get(key string) []byte {
	mask := len(t.slots)/4 - 1
	for at := int(sumOf(key)) & mask; ; at = (at + 1) & mask {
		start := binary.LittleEndian.Uint32(t.slots[4*at:])
		if start == 0 {
			return nil
		}
		r := reader[[]byte]{t.records[start-1:]}
		if found, value := r.text(), r.text(); string(found) == key {
			return value
		}
	}
}

// keys yields every key.
func (t table) keys(yield func(vpath.Key) bool) {
	for r := (reader[[]byte]{t.records}); len(r.rest) > 0; {
		key, _ := r.text(), r.text()
		if !yield(vpath.Key(key)) {
			return
		}
	}
}

// sumOf is FNV-1a, with its upper half folded in.
func sumOf(key string) uint32 {
	sum := uint64(14695981039346656037)
	for i := range len(key) {
		sum = (sum ^ uint64(key[i])) * 1099511628211
	}
	return uint32(sum ^ sum>>32)
}

// appendNumbers encodes the numbers of documents.
func appendNumbers(out []byte, docs []int32) []byte {
	for _, doc := range docs {
		out = binary.LittleEndian.AppendUint32(out, uint32(doc))
	}
	return out
}

func readNumbers(data []byte) []int32 {
	out := make([]int32, len(data)/4)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return out
}
