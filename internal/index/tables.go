package index

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/vpath"
)

// tables makes the sections that follow the segments.
func tables(paths []vpath.Path, metas [][]byte, folders []vpath.Path) [][]byte {
	done := make(chan [3][]byte, 1)
	go func() { done <- pathTables(paths) }() // most of the work
	links, tags, aliases := listWriter{}, listWriter{}, listWriter{}
	keys := map[string]vpath.Key{} // many notes have the same links
	for i, meta := range metas {
		hasTags, hasAliases, hasLinks := namesIn(meta)
		for _, link := range hasLinks {
			key, ok := keys[link.Path]
			if !ok {
				key = baseKey(link.Path)
				keys[link.Path] = key
			}
			links.add(key, uint64(i), func(out []byte) []byte {
				return appendString(binary.AppendUvarint(out, link.bits()), link.Path)
			})
		}
		for _, tag := range hasTags {
			tags.addLabel(tag, uint64(i))
		}
		for _, alias := range hasAliases {
			aliases.addLabel(alias, uint64(i))
		}
	}
	allPaths := appendPaths(appendPaths(nil, paths), folders)
	byLink, byTag, byAlias := links.table(), tags.table(), aliases.table()
	byPath := <-done
	return [][]byte{byPath[0], byPath[1], byPath[2], byLink, byTag, byAlias, allPaths}
}

func appendPaths(out []byte, paths []vpath.Path) []byte {
	out = binary.AppendUvarint(out, uint64(len(paths)))
	for _, path := range paths {
		out = appendString(out, string(path))
	}
	return out
}

// listWriter collects lists of items that files hold, by key. Files are added in the order of their numbers.
type listWriter map[vpath.Key]*list

type list struct {
	count uint64
	last  uint64 // number of the last file
	data  []byte
}

// add appends an item of a file to the list of a key.
func (w listWriter) add(key vpath.Key, doc uint64, item func([]byte) []byte) {
	to := w[key]
	if to == nil {
		to = new(list)
		w[key] = to
	}
	to.data = item(binary.AppendUvarint(to.data, doc-to.last))
	to.last = doc
	to.count++
}

// addLabel appends a tag or alias of a file.
func (w listWriter) addLabel(label string, doc uint64) {
	w.add(vpath.FoldKey(label), doc, func(out []byte) []byte { return appendString(out, label) })
}

// table returns the lists as a table that readList reads.
func (w listWriter) table() []byte {
	var out tableWriter
	var value []byte
	for _, key := range slices.Sorted(maps.Keys(w)) {
		value = append(binary.AppendUvarint(value[:0], w[key].count), w[key].data...)
		out.add(string(key), value)
	}
	return out.bytes()
}

// keyed is a file with its path's key, or a part of that.
type keyed struct {
	key    vpath.Key
	doc    int32
	length int32 // of the path
}

// pathTables makes the tables that paths are found by: keys, names, tails.
func pathTables(paths []vpath.Path) [3][]byte {
	keys, bases, tails := make([]keyed, len(paths)), make([]keyed, len(paths)), []keyed(nil)
	for i, path := range paths {
		keys[i] = keyed{path.Key(), int32(i), int32(path.Length())}
		bases[i] = keys[i]
		bases[i].key = keys[i].key.Base()
	}
	done := make(chan []byte, 1)
	go func() { done <- groups(paths, slices.Clone(keys), nil) }()
	large := map[vpath.Key]bool{}
	names := groups(paths, bases, func(base vpath.Key, docs int) {
		if docs > vpath.LargeGroup {
			large[base] = true
		}
	})
	for _, file := range keys {
		if large[file.key.Base()] {
			file.key = file.key.Tail()
			tails = append(tails, file)
		}
	}
	return [3][]byte{<-done, names, groups(paths, tails, nil)}
}

// groups makes a table that groups files by their key; within a group the shortest path comes first. It calls each, if not nil, with
// the size of every group.
func groups(paths []vpath.Path, all []keyed, each func(key vpath.Key, docs int)) []byte {
	slices.SortFunc(all, func(a, b keyed) int {
		if byKey := strings.Compare(string(a.key), string(b.key)); byKey != 0 {
			return byKey
		}
		return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(paths[a.doc], paths[b.doc]))
	})
	var w tableWriter
	var docs []int32
	var numbers []byte
	for i := 0; i < len(all); {
		key := all[i].key
		docs = docs[:0]
		for ; i < len(all) && all[i].key == key; i++ {
			docs = append(docs, all[i].doc)
		}
		numbers = appendNumbers(numbers[:0], docs)
		w.add(string(key), numbers)
		if each != nil {
			each(key, len(docs))
		}
	}
	return w.bytes()
}
