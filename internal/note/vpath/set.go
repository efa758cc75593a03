package vpath

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"obsidian-mcp/internal/text/order"
)

// Set holds the paths of a vault, for looking up and for resolving links. It is immutable: With returns a new Set that
// shares the unchanged part, so a snapshot keeps its answers while the vault moves on.
type Set struct {
	base    Table             // large, shared between sets
	recent  *memTable         // paths added since base was built
	removed map[Path]struct{} // paths of base removed since it was built
}

// compactAt bounds how many recent and removed paths With copies before it builds a new base.
const compactAt = 1024

// NewSet returns the set of the given paths. Repeated paths count once.
func NewSet(paths []Path) *Set { return SetOf(newMemTable(paths)) }

// SetOf returns the set of the paths in a table.
func SetOf(base Table) *Set { return &Set{base: base, recent: newMemTable(nil)} }

// With returns the set after removing and then adding paths.
func (s *Set) With(removed, added []Path) *Set {
	gone := make(map[Path]struct{}, len(s.removed)+len(removed))
	for path := range s.removed {
		gone[path] = struct{}{}
	}
	dropped := make(map[Path]struct{}, len(removed))
	for _, path := range removed {
		dropped[path] = struct{}{}
		if contains(s.base, path) {
			gone[path] = struct{}{}
		}
	}
	var recent []Path
	for _, item := range s.recent.entries {
		if _, out := dropped[item.path]; !out {
			recent = append(recent, item.path)
		}
	}
	for _, path := range added {
		if _, back := gone[path]; back {
			delete(gone, path)
		} else if !contains(s.base, path) {
			recent = append(recent, path)
		}
	}
	next := &Set{base: s.base, recent: newMemTable(recent), removed: gone}
	if _, inMemory := s.base.(*memTable); inMemory && len(recent)+len(gone) > compactAt {
		return NewSet(slices.Collect(next.All()))
	}
	return next
}

func contains(table Table, path Path) bool {
	for _, i := range table.ByKey(appendKey(nil, string(path))) {
		if table.Path(i) == path {
			return true
		}
	}
	return false
}

// Len returns the number of paths.
func (s *Set) Len() int { return s.base.Len() - len(s.removed) + len(s.recent.entries) }

// All yields every path, in no particular order.
func (s *Set) All() iter.Seq[Path] {
	return func(yield func(Path) bool) {
		for _, table := range s.tables() {
			for i := range int32(table.Len()) {
				if path := table.Path(i); path != "" && s.live(path) && !yield(path) {
					return
				}
			}
		}
	}
}

func (s *Set) tables() [2]Table { return [...]Table{s.base, s.recent} }

// live reports whether a path of one of the tables is still in the set.
func (s *Set) live(path Path) bool {
	if len(s.removed) == 0 {
		return true
	}
	_, out := s.removed[path]
	return !out
}

// Find returns the path in the set with the same key as p. Among twins it prefers the exact spelling of p, then the
// first in byte order.
func (s *Set) Find(p Path) (Path, bool) {
	return s.find(appendKey(nil, string(p)), string(p), "")
}

// find looks a key up. Among twins it prefers the path that equals spelling+ext.
func (s *Set) find(key []byte, spelling, ext string) (Path, bool) {
	var best Path
	found := false
	for _, table := range s.tables() {
		for _, i := range table.ByKey(key) {
			path := table.Path(i)
			if !s.live(path) {
				continue
			}
			if rest, ok := strings.CutPrefix(string(path), spelling); ok && rest == ext {
				return path, true
			}
			if !found || path < best {
				best, found = path, true
			}
		}
	}
	return best, found
}

// Named lists the paths whose last component has the same key as base, which includes the extension. The best comes
// first, as Compare orders them.
func (s *Set) Named(base string) []Path {
	key := appendKey(nil, base)
	var found []Path
	add := func(table Table) (added int) {
		for _, i := range table.Named(key) {
			if path := table.Path(i); s.live(path) {
				found = append(found, path)
				added++
			}
		}
		return added
	}
	add(s.base)
	if add(s.recent) > 0 {
		order.By(found, Compare)
	}
	return found
}

// IsUnique reports whether p is the only path with its base name.
func (s *Set) IsUnique(p Path) bool {
	only, count := s.count(appendKey(nil, p.Base()))
	return count == 1 && only.path() == p
}

// entryRef points to an entry of a table.
type entryRef struct {
	table Table
	i     int32
}

func (r entryRef) path() Path { return r.table.Path(r.i) }

// count returns how many files have a base name, 2 meaning two or more. It returns the file if it is the only one.
func (s *Set) count(baseKey []byte) (only entryRef, count int) {
	for _, table := range s.tables() {
		for _, i := range table.Named(baseKey) {
			if s.live(table.Path(i)) {
				only = entryRef{table, i}
				if count++; count > 1 {
					return entryRef{}, count
				}
			}
		}
	}
	return only, count
}

// ending returns the best path that ends in key, whose last component is baseKey. Where many files share that base
// name, it looks only at those in a folder named like the last one of key.
func (s *Set) ending(key, baseKey []byte) (Path, bool) {
	tail := key[bytes.LastIndexByte(key[:max(len(key)-len(baseKey)-1, 0)], '/')+1:]
	best := s.firstEnding(s.base, s.base.Ending(tail, baseKey), key)
	recent := s.firstEnding(s.recent, s.recent.Ending(tail, baseKey), key)
	if best == "" || recent != "" && Compare(recent, best) < 0 {
		best = recent
	}
	return best, best != ""
}

// firstEnding returns the first of the candidates whose path ends in key, or "".
func (s *Set) firstEnding(table Table, candidates []int32, key []byte) Path {
	if memory, ok := table.(*memTable); ok { // avoids two interface calls per candidate
		for _, i := range candidates {
			if item := &memory.entries[i]; endsInPath(item.key, key) && s.live(item.path) {
				return item.path
			}
		}
		return ""
	}
	for _, i := range candidates {
		if path := table.Path(i); s.live(path) && endsInPath(table.Key(i), key) {
			return path
		}
	}
	return ""
}
