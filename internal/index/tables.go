package index

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"obsidian-mcp/internal/note/vpath"
)

// tables makes the sections that follow the segments.
func tables(paths []vpath.Path, metas [][]byte, folders []vpath.Path) [][]byte {
	done := make(chan [3][]byte, 1)
	go func() { done <- pathTables(paths) }()
	links, tags, aliases := newListWriter(baseKey), newListWriter(vpath.FoldKey), newListWriter(vpath.FoldKey)
	for i, meta := range metas {
		r := readerOf(meta)
		tags.add(i, &r, (*reader[[]byte]).text)
		aliases.add(i, &r, (*reader[[]byte]).text)
		r.skipHeadings()
		links.add(i, &r, func(r *reader[[]byte]) []byte {
			r.number() // its line and kind
			return r.text()
		})
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

// keyed is a file with its path's key or part of that key.
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

// groups builds a table of files by key, with the shortest path first within a group. If each is not nil, it is called with
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
