package index

import (
	"encoding/binary"
	"runtime"
	"slices"

	"obsidian-mcp/internal/note/vpath"
)

// listWriter groups the items of files, such as links or tags, into one list per key. Files must be added in ascending order.
type listWriter struct {
	keyOf  func(name string) vpath.Key
	byName map[string]int32 // name of an item to its list; avoids folding the same name again
	byKey  map[vpath.Key]int32
	keys   []vpath.Key // by list
	items  []listed
}

// listed is an item with its encoding in the meta of its file.
type listed struct {
	list, doc int32
	data      []byte
}

func newListWriter(keyOf func(name string) vpath.Key) *listWriter {
	return &listWriter{keyOf: keyOf, byName: map[string]int32{}, byKey: map[vpath.Key]int32{}}
}

// add adds the next items in the meta of a file. read consumes one item and returns its name.
func (w *listWriter) add(doc int, meta *reader[[]byte], read func(*reader[[]byte]) (name []byte)) {
	for range meta.number() {
		before := meta.rest
		name := read(meta)
		w.items = append(w.items, listed{w.listOf(name), int32(doc), before[:len(before)-len(meta.rest)]})
	}
}

// listOf returns the list for items with this name, creating it if needed.
func (w *listWriter) listOf(name []byte) int32 {
	if known, ok := w.byName[string(name)]; ok {
		return known
	}
	key := w.keyOf(string(name))
	list, ok := w.byKey[key]
	if !ok {
		list = int32(len(w.keys))
		w.keys, w.byKey[key] = append(w.keys, key), list
	}
	w.byName[string(name)] = list
	return list
}

// table encodes the lists as a table for readList.
func (w *listWriter) table() []byte {
	ends := make([]int, len(w.keys))
	for _, item := range w.items {
		ends[item.list]++
	}
	end := 0
	for list, count := range ends {
		ends[list], end = end, end+count
	}
	grouped := make([]*listed, len(w.items))
	for i := range w.items {
		item := &w.items[i]
		grouped[ends[item.list]] = item
		ends[item.list]++
	}
	var out tableWriter
	var value []byte
	for _, key := range slices.Sorted(slices.Values(w.keys)) {
		list := w.byKey[key]
		start := 0
		if list > 0 {
			start = ends[list-1]
		}
		value = binary.AppendUvarint(value[:0], uint64(ends[list]-start))
		last := int32(0)
		for _, item := range grouped[start:ends[list]] {
			value = append(binary.AppendUvarint(value, uint64(item.doc-last)), item.data...)
			last = item.doc
		}
		out.add(string(key), value)
	}
	return out.bytes()
}

// readList reads the list for a key from a table made by listWriter. item decodes one item of the given file.
func readList[T any](b *base, in table, key vpath.Key, item func(vpath.Path, *reader[[]byte]) T) []T {
	data := in.get(string(key))
	if len(data) == 0 {
		return nil
	}
	r := reader[[]byte]{data}
	count := r.number()
	items := make([]T, 0, count)
	doc := uint64(0)
	for range count {
		doc += r.number()
		read := item(b.paths[doc], &r)
		if !b.hidden.Has(int(doc)) {
			items = append(items, read)
		}
	}
	runtime.KeepAlive(b)
	return items
}
