package index

import (
	"runtime"
	"slices"

	"obsidian-mcp/internal/note/vpath"
)

// What follows shows the tables of a base as the immutable maps that a snapshot puts its changes on top of. Hidden files
// are in none of them.

// entrySource maps paths to entries.
type entrySource struct{ base *base }

func (s entrySource) get(path vpath.Path) *Entry {
	if doc, ok := s.base.docOf(path); ok {
		return s.base.entry(doc)
	}
	return nil
}

func (s entrySource) keys(yield func(vpath.Path) bool) {
	for doc, path := range s.base.paths {
		if !s.base.hidden.Has(doc) && !yield(path) {
			return
		}
	}
}

// pathSource lets a vpath.Set look up the paths of the base.
type pathSource struct{ base *base }

func (s pathSource) Len() int                  { return len(s.base.paths) }
func (s pathSource) Key(i int32) vpath.Key     { return s.Path(i).Key() }
func (s pathSource) ByKey(key []byte) []int32  { return s.docs(s.base.byKey, key) }
func (s pathSource) Named(base []byte) []int32 { return s.docs(s.base.names, base) }

func (s pathSource) Path(i int32) vpath.Path {
	if s.base.hidden.Has(int(i)) {
		return ""
	}
	return s.base.paths[i]
}

func (s pathSource) Ending(tail, baseKey []byte) []int32 {
	named := s.Named(baseKey)
	if len(named) <= vpath.LargeGroup || len(tail) == len(baseKey) {
		return named
	}
	return s.docs(s.base.tails, tail)
}

func (s pathSource) docs(in table, key []byte) []int32 {
	found := readNumbers(in.get(string(key)))
	runtime.KeepAlive(s.base)
	if s.base.hidden == nil {
		return found
	}
	return slices.DeleteFunc(found, func(doc int32) bool { return s.base.hidden.Has(int(doc)) })
}

// linkSource maps a base name to the links that ask for it.
type linkSource struct{ base *base }

func (s linkSource) keys(yield func(vpath.Key) bool) { s.base.links.keys(yield) }

func (s linkSource) get(key vpath.Key) []Backlink {
	var target interned
	return readList(s.base, s.base.links, key, func(from vpath.Path, r *reader[[]byte]) Backlink {
		bits := r.number()
		return Backlink{From: from, Link: linkOf(bits, target.string(r.text()))}
	})
}

// labelSource maps a folded tag or alias to the notes that have it.
type labelSource struct {
	base *base
	in   table
}

func (s labelSource) get(key vpath.Key) []labelled {
	var label interned
	return readList(s.base, s.in, key, func(note vpath.Path, r *reader[[]byte]) labelled {
		return labelled{note, label.string(r.text())}
	})
}

func (s labelSource) keys(yield func(vpath.Key) bool) {
	s.in.keys(func(key vpath.Key) bool {
		return s.base.hidden != nil && len(s.get(key)) == 0 || yield(key)
	})
}

// interned makes strings of bytes, and only one of bytes that repeat: neighbours in a list are mostly spelt alike.
type interned struct{ last string }

func (i *interned) string(data []byte) string {
	if string(data) != i.last {
		i.last = string(data)
	}
	return i.last
}

// folderSource maps a folded path to a folder as it is spelt.
type folderSource map[vpath.Key]vpath.Path

func (f folderSource) get(key vpath.Key) vpath.Path { return f[key] }

func (f folderSource) keys(yield func(vpath.Key) bool) {
	for key := range f {
		if !yield(key) {
			return
		}
	}
}
