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
	base *shelf            // large, shared between sets
	over *shelf            // what came since base was built
	gone map[Path]struct{} // what left base since
}

// compactAt bounds the part of a set that With copies.
const compactAt = 1024

// NewSet builds a set. Repeated paths count once.
func NewSet(paths []Path) *Set {
	return &Set{base: newShelf(paths), over: newShelf(nil)}
}

// With is the set after removing and then adding paths.
func (s *Set) With(removed, added []Path) *Set {
	gone := make(map[Path]struct{}, len(s.gone)+len(removed))
	for path := range s.gone {
		gone[path] = struct{}{}
	}
	dropped := make(map[Path]struct{}, len(removed))
	for _, path := range removed {
		dropped[path] = struct{}{}
		if s.base.has(path) {
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
		} else if !s.base.has(path) {
			over = append(over, path)
		}
	}
	next := &Set{base: s.base, over: newShelf(over), gone: gone}
	if len(over)+len(gone) > compactAt {
		return NewSet(slices.Collect(next.All()))
	}
	return next
}

// Len is the number of paths.
func (s *Set) Len() int { return len(s.base.entries) - len(s.gone) + len(s.over.entries) }

// All yields every path, in no particular order.
func (s *Set) All() iter.Seq[Path] {
	return func(yield func(Path) bool) {
		for _, on := range []*shelf{s.base, s.over} {
			for i := range on.entries {
				if !s.live(&on.entries[i]) {
					continue
				}
				if !yield(on.entries[i].path) {
					return
				}
			}
		}
	}
}

// Find is the path in the set that p names, under whatever spelling. Of
// twins it is the one spelt like p, else the first in byte order.
func (s *Set) Find(p Path) (Path, bool) {
	return s.find(appendKey(nil, string(p)), string(p), "")
}

// Named lists the paths whose last component is base, extension included,
// under any spelling: shortest first, then in byte order.
func (s *Set) Named(base string) []Path {
	var found []Path
	for item := range s.named(appendKey(nil, base)) {
		found = append(found, item.path)
	}
	return found
}

func (s *Set) live(item *entry) bool {
	if len(s.gone) == 0 {
		return true
	}
	_, out := s.gone[item.path]
	return !out
}

// find looks a key up. Of twins it prefers the one spelt like the spelling
// with the extension.
func (s *Set) find(key []byte, spelling, ext string) (Path, bool) {
	var best Path
	found := false
	for _, on := range [...]*shelf{s.base, s.over} {
		for i, more := on.byKey[Key(key)]; more; i, more = on.twin[i] {
			item := &on.entries[i]
			if !s.live(item) {
				continue
			}
			if rest, ok := strings.CutPrefix(string(item.path), spelling); ok && rest == ext {
				return item.path, true
			}
			if !found || item.path < best {
				best, found = item.path, true
			}
		}
	}
	return best, found
}

// count is how many files have a base name; of one alone it gives the entry.
func (s *Set) count(baseKey []byte) (*entry, int) {
	var only *entry
	count := 0
	for _, on := range [...]*shelf{s.base, s.over} {
		for _, i := range on.named(baseKey) {
			if item := &on.entries[i]; s.live(item) {
				only = item
				if count++; count > 1 {
					return nil, count
				}
			}
		}
	}
	return only, count
}

// IsUnique reports whether no other path has p's base name.
func (s *Set) IsUnique(p Path) bool {
	only, count := s.count(appendKey(nil, p.Base()))
	return count == 1 && only.path == p
}

// named yields the entries of one base name, best first.
func (s *Set) named(baseKey []byte) iter.Seq[*entry] {
	return s.merged(s.base.named(baseKey), s.over.named(baseKey))
}

// ending is the best of the entries that a path ends in. Where files of its
// base name are many, those in its last folder are looked at alone.
func (s *Set) ending(key, baseKey []byte) (Path, bool) {
	tail := key[bytes.LastIndexByte(key[:max(len(key)-len(baseKey)-1, 0)], '/')+1:]
	base, over := s.base.ending(tail, baseKey), s.over.ending(tail, baseKey)
	for len(base) > 0 || len(over) > 0 {
		var item *entry
		item, base, over = s.better(base, over)
		if s.live(item) && endsInPath(item.key, key) {
			return item.path, true
		}
	}
	return "", false
}

// merged yields entries of both shelves, each lot of which is ordered.
func (s *Set) merged(base, over []int32) iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		for len(base) > 0 || len(over) > 0 {
			var item *entry
			if item, base, over = s.better(base, over); s.live(item) && !yield(item) {
				return
			}
		}
	}
}

// better takes the better one of the first entries of two lots.
func (s *Set) better(base, over []int32) (item *entry, baseRest, overRest []int32) {
	if len(over) == 0 || len(base) > 0 && compareEntries(&s.base.entries[base[0]], &s.over.entries[over[0]]) < 0 {
		return &s.base.entries[base[0]], base[1:], over
	}
	return &s.over.entries[over[0]], base, over[1:]
}

// entry is one path with what resolving asks of it.
type entry struct {
	path   Path
	key    Key
	length int // in UTF-16 units, as Obsidian measures paths
}

func compareEntries(a, b *entry) int {
	return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(a.path, b.path))
}

// shelf is an immutable lot of entries with its two indexes.
type shelf struct {
	entries []entry
	byKey   map[Key]int32   // first entry of a key
	twin    map[int32]int32 // next entry of the same key; almost always empty
	groups  map[Key]group   // entries of a base name
	order   []int32         // groups' entries, each group best first
	tails   map[Key][]int32 // of large groups, the entries of a folder and a base name
}

// largeGroup is how many files of one name make it worth to look at their
// folders too.
const largeGroup = 16

type group struct{ start, end int32 }

func newShelf(paths []Path) *shelf {
	on := &shelf{
		entries: make([]entry, 0, len(paths)),
		byKey:   make(map[Key]int32, len(paths)),
		twin:    map[int32]int32{},
	}
	for _, path := range paths {
		on.add(path)
	}
	on.group()
	return on
}

func (on *shelf) add(path Path) {
	item := entry{path: path, key: path.Key(), length: utf16Len(string(path))}
	at := int32(len(on.entries))
	first, taken := on.byKey[item.key]
	if !taken {
		on.byKey[item.key] = at
	} else {
		last := first
		for i, more := first, true; more; i, more = on.twin[i] {
			if on.entries[i].path == path {
				return
			}
			last = i
		}
		on.twin[last] = at
	}
	on.entries = append(on.entries, item)
}

// group sorts the entries by base name; within a name the best comes first.
func (on *shelf) group() {
	size := make(map[Key]int32, len(on.entries))
	for i := range on.entries {
		size[on.entries[i].baseKey()]++
	}
	on.groups = make(map[Key]group, len(size))
	on.order = make([]int32, len(on.entries))
	next := int32(0)
	for i := range on.entries {
		base := on.entries[i].baseKey()
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
				return compareEntries(&on.entries[a], &on.entries[b])
			})
		}
		if lot.end-lot.start > largeGroup {
			on.groupTails(on.order[lot.start:lot.end])
		}
	}
}

func (on *shelf) groupTails(lot []int32) {
	if on.tails == nil {
		on.tails = map[Key][]int32{}
	}
	for _, i := range lot {
		item := &on.entries[i]
		folders := item.key[:max(len(item.key)-len(item.baseKey())-1, 0)]
		tail := item.key[strings.LastIndexByte(string(folders), '/')+1:]
		on.tails[tail] = append(on.tails[tail], i)
	}
}

// ending lists the entries to look at for a path whose last folder and base
// name are the tail; the tail of a bare name is the name.
func (on *shelf) ending(tail, baseKey []byte) []int32 {
	all := on.named(baseKey)
	if len(all) <= largeGroup || len(tail) == len(baseKey) {
		return all
	}
	return on.tails[Key(tail)]
}

func (item *entry) baseKey() Key { return item.key[strings.LastIndexByte(string(item.key), '/')+1:] }

func (on *shelf) has(path Path) bool {
	for i, more := on.byKey[path.Key()]; more; i, more = on.twin[i] {
		if on.entries[i].path == path {
			return true
		}
	}
	return false
}

func (on *shelf) named(baseKey []byte) []int32 {
	if len(on.entries) == 0 {
		return nil
	}
	lot := on.groups[Key(baseKey)]
	return on.order[lot.start:lot.end]
}

func utf16Len(s string) int {
	units := 0
	for _, r := range s {
		if units++; r > 0xffff {
			units++
		}
	}
	return units
}
