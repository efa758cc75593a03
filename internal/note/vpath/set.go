package vpath

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strings"
)

// Set holds the paths of a vault, for looking up and for resolving links. It
// is immutable: With returns another Set that shares what did not change, so
// that a snapshot keeps its answers while the vault moves on.
type Set struct {
	base Shelf             // large, shared between sets
	over *shelf            // what came since base was built
	gone map[Path]struct{} // what left base since
}

// Shelf is an immutable lot of paths, found by their keys. Paths are numbered;
// a number without a path has "".
type Shelf interface {
	Len() int
	Path(i int32) Path
	Key(i int32) Key

	// ByKey lists the paths of a key, which are twins if they are several.
	ByKey(key []byte) []int32

	// Named lists the paths whose last component has a key, the shortest
	// first, then in byte order.
	Named(baseKey []byte) []int32

	// Ending lists, in the same order, at least those of Named that end in the
	// tail: a folder and the base name.
	Ending(tail, baseKey []byte) []int32
}

// compactAt bounds the part of a set that With copies.
const compactAt = 1024

// NewSet builds a set. Repeated paths count once.
func NewSet(paths []Path) *Set { return SetOf(newShelf(paths)) }

// SetOf is the set of the paths of a shelf.
func SetOf(base Shelf) *Set { return &Set{base: base, over: newShelf(nil)} }

// With is the set after removing and then adding paths.
func (s *Set) With(removed, added []Path) *Set {
	gone := make(map[Path]struct{}, len(s.gone)+len(removed))
	for path := range s.gone {
		gone[path] = struct{}{}
	}
	dropped := make(map[Path]struct{}, len(removed))
	for _, path := range removed {
		dropped[path] = struct{}{}
		if has(s.base, path) {
			gone[path] = struct{}{}
		}
	}
	var over []Path
	for _, item := range s.over.entries {
		if _, out := dropped[item.path]; !out {
			over = append(over, item.path)
		}
	}
	for _, path := range added {
		if _, back := gone[path]; back {
			delete(gone, path)
		} else if !has(s.base, path) {
			over = append(over, path)
		}
	}
	next := &Set{base: s.base, over: newShelf(over), gone: gone}
	if _, inMemory := s.base.(*shelf); inMemory && len(over)+len(gone) > compactAt {
		return NewSet(slices.Collect(next.All()))
	}
	return next
}

func has(on Shelf, path Path) bool {
	for _, i := range on.ByKey(appendKey(nil, string(path))) {
		if on.Path(i) == path {
			return true
		}
	}
	return false
}

// Len is the number of paths.
func (s *Set) Len() int { return s.base.Len() - len(s.gone) + len(s.over.entries) }

// All yields every path, in no particular order.
func (s *Set) All() iter.Seq[Path] {
	return func(yield func(Path) bool) {
		for _, on := range s.shelves() {
			for i := range int32(on.Len()) {
				if path := on.Path(i); path != "" && s.live(path) && !yield(path) {
					return
				}
			}
		}
	}
}

func (s *Set) shelves() [2]Shelf { return [...]Shelf{s.base, s.over} }

// Find is the path in the set that p names, under whatever spelling. Of
// twins it is the one spelt like p, else the first in byte order.
func (s *Set) Find(p Path) (Path, bool) {
	return s.find(appendKey(nil, string(p)), string(p), "")
}

// Named lists the paths whose last component is base, extension included,
// under any spelling: shortest first, then in byte order.
func (s *Set) Named(base string) []Path {
	key := appendKey(nil, base)
	var found []Path
	for lots := s.lots(s.base.Named(key), s.over.Named(key)); lots.next(); {
		if path := lots.path(); s.live(path) {
			found = append(found, path)
		}
	}
	return found
}

func (s *Set) live(path Path) bool {
	if len(s.gone) == 0 {
		return true
	}
	_, out := s.gone[path]
	return !out
}

// find looks a key up. Of twins it prefers the one spelt like the spelling
// with the extension.
func (s *Set) find(key []byte, spelling, ext string) (Path, bool) {
	var best Path
	found := false
	for _, on := range s.shelves() {
		for _, i := range on.ByKey(key) {
			path := on.Path(i)
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

// count is how many files have a base name; of one alone it gives the place.
func (s *Set) count(baseKey []byte) (only place, count int) {
	for _, on := range s.shelves() {
		for _, i := range on.Named(baseKey) {
			if s.live(on.Path(i)) {
				only = place{on, i}
				if count++; count > 1 {
					return place{}, count
				}
			}
		}
	}
	return only, count
}

// IsUnique reports whether no other path has p's base name.
func (s *Set) IsUnique(p Path) bool {
	only, count := s.count(appendKey(nil, p.Base()))
	return count == 1 && only.path() == p
}

// ending is the best of the paths that a path ends in. Where files of its
// base name are many, those in its last folder are looked at alone.
func (s *Set) ending(key, baseKey []byte) (Path, bool) {
	tail := key[bytes.LastIndexByte(key[:max(len(key)-len(baseKey)-1, 0)], '/')+1:]
	base, over := s.firstEnding(s.base, s.base.Ending(tail, baseKey), key), s.firstEnding(s.over, s.over.Ending(tail, baseKey), key)
	if base == "" || over != "" && Compare(over, base) < 0 {
		base = over
	}
	return base, base != ""
}

// firstEnding is the first path of a lot that ends in a key; "" for none.
func (s *Set) firstEnding(on Shelf, lot []int32, key []byte) Path {
	if memory, ok := on.(*shelf); ok { // many of one name are gone through at once
		for _, i := range lot {
			if item := &memory.entries[i]; endsInPath(item.key, key) && s.live(item.path) {
				return item.path
			}
		}
		return ""
	}
	for _, i := range lot {
		if path := on.Path(i); s.live(path) && endsInPath(on.Key(i), key) {
			return path
		}
	}
	return ""
}

// place is a path on a shelf.
type place struct {
	on Shelf
	i  int32
}

func (p place) path() Path { return p.on.Path(p.i) }

// lots goes through two ordered lots of the two shelves, the better first.
type lots struct {
	place
	set        *Set
	base, over []int32
}

func (s *Set) lots(base, over []int32) lots { return lots{set: s, base: base, over: over} }

func (l *lots) next() bool {
	switch {
	case len(l.base) == 0 && len(l.over) == 0:
		return false
	case len(l.over) == 0 || len(l.base) > 0 && Compare(l.set.base.Path(l.base[0]), l.set.over.Path(l.over[0])) < 0:
		l.place, l.base = place{l.set.base, l.base[0]}, l.base[1:]
	default:
		l.place, l.over = place{l.set.over, l.over[0]}, l.over[1:]
	}
	return true
}

// Compare orders paths as Obsidian prefers them where several would do: the
// shortest first, then in byte order.
func Compare(a, b Path) int { return cmp.Or(cmp.Compare(a.Length(), b.Length()), cmp.Compare(a, b)) }

// Length is a path's length in UTF-16 units, as Obsidian measures it.
func (p Path) Length() int {
	units := 0
	for _, r := range p {
		if units++; r > 0xffff {
			units++
		}
	}
	return units
}

// Tail is the last folder and the base name of a key.
func (k Key) Tail() Key {
	base := k.Base()
	return k[strings.LastIndexByte(string(k[:max(len(k)-len(base)-1, 0)]), '/')+1:]
}

// Base is the key of the base name.
func (k Key) Base() Key { return k[strings.LastIndexByte(string(k), '/')+1:] }

// LargeGroup is how many files of one name make it worth to look at their
// folders too.
const LargeGroup = 16

// entry is one path of a shelf in memory.
type entry struct {
	path   Path
	key    Key
	length int32 // of the path
}

// shelf is a Shelf in memory.
type shelf struct {
	entries []entry
	self    []int32         // each number at its own place
	byKey   map[Key]int32   // first entry of a key
	twins   map[Key][]int32 // all entries of a key; almost always empty
	groups  map[Key]group   // entries of a base name
	order   []int32         // groups' entries, each group best first
	tails   map[Key][]int32 // of large groups, the entries of a folder and a base name
}

type group struct{ start, end int32 }

func newShelf(paths []Path) *shelf {
	on := &shelf{
		entries: make([]entry, 0, len(paths)),
		self:    make([]int32, 0, len(paths)),
		byKey:   make(map[Key]int32, len(paths)),
	}
	for _, path := range paths {
		on.add(path)
	}
	on.group()
	return on
}

func (on *shelf) add(path Path) {
	item := entry{path: path, key: path.Key(), length: int32(path.Length())}
	at := int32(len(on.entries))
	first, taken := on.byKey[item.key]
	if !taken {
		on.byKey[item.key] = at
	} else {
		same := on.twins[item.key]
		if same == nil {
			same = []int32{first}
		}
		if slices.ContainsFunc(same, func(i int32) bool { return on.entries[i].path == path }) {
			return
		}
		if on.twins == nil {
			on.twins = map[Key][]int32{}
		}
		on.twins[item.key] = append(same, at)
	}
	on.entries = append(on.entries, item)
	on.self = append(on.self, at)
}

// group sorts the entries by base name; within a name the best comes first.
func (on *shelf) group() {
	size := make(map[Key]int32, len(on.entries))
	for i := range on.entries {
		size[on.entries[i].key.Base()]++
	}
	on.groups = make(map[Key]group, len(size))
	on.order = make([]int32, len(on.entries))
	next := int32(0)
	for i := range on.entries {
		base := on.entries[i].key.Base()
		lot, open := on.groups[base]
		if !open {
			lot = group{next, next}
			next += size[base]
		}
		on.order[lot.end] = int32(i)
		lot.end++
		on.groups[base] = lot
	}
	for _, lot := range on.groups {
		if lot.end-lot.start > 1 {
			slices.SortFunc(on.order[lot.start:lot.end], func(a, b int32) int {
				x, y := &on.entries[a], &on.entries[b]
				return cmp.Or(cmp.Compare(x.length, y.length), cmp.Compare(x.path, y.path))
			})
		}
		if lot.end-lot.start > LargeGroup {
			on.groupTails(on.order[lot.start:lot.end])
		}
	}
}

func (on *shelf) groupTails(lot []int32) {
	if on.tails == nil {
		on.tails = map[Key][]int32{}
	}
	for _, i := range lot {
		tail := on.entries[i].key.Tail()
		on.tails[tail] = append(on.tails[tail], i)
	}
}

func (on *shelf) Len() int          { return len(on.entries) }
func (on *shelf) Path(i int32) Path { return on.entries[i].path }
func (on *shelf) Key(i int32) Key   { return on.entries[i].key }

func (on *shelf) ByKey(key []byte) []int32 {
	first, ok := on.byKey[Key(key)]
	if !ok {
		return nil
	}
	if len(on.twins) > 0 {
		if all := on.twins[Key(key)]; all != nil {
			return all
		}
	}
	return on.self[first : first+1]
}

func (on *shelf) Named(baseKey []byte) []int32 {
	if len(on.entries) == 0 {
		return nil
	}
	lot := on.groups[Key(baseKey)]
	return on.order[lot.start:lot.end]
}

func (on *shelf) Ending(tail, baseKey []byte) []int32 {
	all := on.Named(baseKey)
	if len(all) <= LargeGroup || len(tail) == len(baseKey) {
		return all
	}
	return on.tails[Key(tail)]
}
