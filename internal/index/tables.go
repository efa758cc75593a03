package index

import (
	"cmp"
	"encoding/binary"
	"slices"

	"obsidian-mcp/internal/note/vpath"
)

// tables makes the tables of files.
func tables(paths []vpath.Path, metas [][]byte, folders []vpath.Path) [][]byte {
	done := make(chan [3][]byte, 1)
	go func() { done <- pathTables(paths) }() // half of the work
	links, tags := map[vpath.Key]*list{}, map[vpath.Key]*list{}
	keys := map[string]vpath.Key{} // links are alike in many notes
	for i, meta := range metas {
		entry := decode(paths[i], meta, nil)
		for _, link := range entry.Links {
			key, known := keys[link.Path]
			if !known {
				key = baseKey(link.Path)
				keys[link.Path] = key
			}
			add(links, key, uint64(i), func(out []byte) []byte {
				return appendString(binary.AppendUvarint(out, link.bits()), link.Path)
			})
		}
		for _, tag := range entry.Tags {
			add(tags, vpath.FoldKey(tag), uint64(i), func(out []byte) []byte { return appendString(out, tag) })
		}
	}
	named := binary.AppendUvarint(nil, uint64(len(paths)))
	for _, path := range paths {
		named = appendString(named, string(path))
	}
	named = binary.AppendUvarint(named, uint64(len(folders)))
	for _, folder := range folders {
		named = appendString(named, string(folder))
	}
	byLink, byTag := tableOf(links), tableOf(tags)
	byPath := <-done
	return [][]byte{byPath[0], byPath[1], byPath[2], byLink, byTag, named}
}

// list is what a table holds for one key: things of files, in their order.
type list struct {
	count uint64
	last  uint64
	data  []byte
}

func add(to map[vpath.Key]*list, key vpath.Key, doc uint64, thing func([]byte) []byte) {
	at := to[key]
	if at == nil {
		at = new(list)
		to[key] = at
	}
	at.data = thing(binary.AppendUvarint(at.data, doc-at.last))
	at.last = doc
	at.count++
}

func tableOf(lists map[vpath.Key]*list) []byte {
	keys := make([]vpath.Key, 0, len(lists))
	for key := range lists {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var w tableWriter
	for _, key := range keys {
		one := lists[key]
		w.add(string(key), append(binary.AppendUvarint(nil, one.count), one.data...))
	}
	return w.bytes()
}

// keyed is a file with its path's key.
type keyed struct {
	key    vpath.Key
	doc    int32
	length int32 // of the path
}

// pathTables makes the tables that paths are found by: keys, names, tails.
func pathTables(paths []vpath.Path) [3][]byte {
	all := make([]keyed, len(paths))
	for i, path := range paths {
		all[i] = keyed{path.Key(), int32(i), int32(path.Length())}
	}
	whole := groups(paths, all, func(key vpath.Key) vpath.Key { return key }, nil)
	large := map[vpath.Key]bool{}
	names := groups(paths, all, vpath.Key.Base, func(base vpath.Key, docs int) {
		if docs > vpath.LargeGroup {
			large[base] = true
		}
	})
	all = slices.DeleteFunc(all, func(one keyed) bool { return !large[one.key.Base()] })
	return [3][]byte{whole, names, groups(paths, all, vpath.Key.Tail, nil)}
}

// groups makes a table of the files that have a part of their key in common,
// the best first. It tells how large each group is.
func groups(paths []vpath.Path, all []keyed, part func(vpath.Key) vpath.Key, each func(key vpath.Key, docs int)) []byte {
	slices.SortFunc(all, func(a, b keyed) int {
		if byKey := cmp.Compare(part(a.key), part(b.key)); byKey != 0 {
			return byKey
		}
		return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(paths[a.doc], paths[b.doc]))
	})
	var w tableWriter
	var docs []int32
	for i := 0; i < len(all); {
		key := part(all[i].key)
		docs = docs[:0]
		for ; i < len(all) && part(all[i].key) == key; i++ {
			docs = append(docs, all[i].doc)
		}
		w.add(string(key), numbers(docs))
		if each != nil {
			each(key, len(docs))
		}
	}
	return w.bytes()
}
