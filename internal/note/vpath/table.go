package vpath

import (
	"cmp"
	"slices"
)

// Table is an immutable list of paths with lookups by key. Entries are numbered from 0 to Len()-1; a number without a
// path yields "".
type Table interface {
	Len() int
	Path(i int32) Path
	Key(i int32) Key

	// ByKey lists the entries with a key; several are twins.
	ByKey(key []byte) []int32

	// Named lists the entries whose last component has a key, in the order of Compare.
	Named(baseKey []byte) []int32

	// Ending lists, in the same order, the entries of Named that end in tail, which is a folder and the base name. It
	// may include others of Named.
	Ending(tail, baseKey []byte) []int32
}

// LargeGroup is the number of files with the same base name above which a table also groups them by their folder.
const LargeGroup = 16

// entry is a path in a memTable.
type entry struct {
	path   Path
	key    Key
	length int32 // of the path
}

// memTable is a Table in memory.
type memTable struct {
	entries []entry
	self    []int32         // self[i] == i, so that ByKey can return a slice without allocating
	byKey   map[Key]int32   // the first entry with a key
	twins   map[Key][]int32 // all entries with a key that several have; almost always empty
	groups  map[Key]group   // the entries with a base name
	order   []int32         // the entries of all groups, each group in the order of Compare
	tails   map[Key][]int32 // in large groups, the entries with a folder and base name
}

// group is a range of memTable.order.
type group struct{ start, end int32 }

func newMemTable(paths []Path) *memTable {
	t := &memTable{
		entries: make([]entry, 0, len(paths)),
		self:    make([]int32, 0, len(paths)),
		byKey:   make(map[Key]int32, len(paths)),
	}
	for _, path := range paths {
		t.add(path)
	}
	t.groupByBase()
	return t
}

func (t *memTable) add(path Path) {
	item := entry{path: path, key: path.Key(), length: int32(path.Length())}
	at := int32(len(t.entries))
	first, taken := t.byKey[item.key]
	if !taken {
		t.byKey[item.key] = at
	} else {
		same := t.twins[item.key]
		if same == nil {
			same = []int32{first}
		}
		if slices.ContainsFunc(same, func(i int32) bool { return t.entries[i].path == path }) {
			return
		}
		if t.twins == nil {
			t.twins = map[Key][]int32{}
		}
		t.twins[item.key] = append(same, at)
	}
	t.entries = append(t.entries, item)
	t.self = append(t.self, at)
}

// groupByBase groups the entries by base name and orders each group.
func (t *memTable) groupByBase() {
	size := make(map[Key]int32, len(t.entries))
	for i := range t.entries {
		size[t.entries[i].key.Base()]++
	}
	t.groups = make(map[Key]group, len(size))
	t.order = make([]int32, len(t.entries))
	next := int32(0)
	for i := range t.entries {
		base := t.entries[i].key.Base()
		members, open := t.groups[base]
		if !open {
			members = group{next, next}
			next += size[base]
		}
		t.order[members.end] = int32(i)
		members.end++
		t.groups[base] = members
	}
	for _, members := range t.groups {
		if members.end-members.start > 1 {
			slices.SortFunc(t.order[members.start:members.end], func(a, b int32) int {
				x, y := &t.entries[a], &t.entries[b]
				return cmp.Or(cmp.Compare(x.length, y.length), cmp.Compare(x.path, y.path))
			})
		}
		if members.end-members.start > LargeGroup {
			t.groupByTail(t.order[members.start:members.end])
		}
	}
}

// groupByTail groups the entries of a large group by their last folder.
func (t *memTable) groupByTail(members []int32) {
	if t.tails == nil {
		t.tails = map[Key][]int32{}
	}
	for _, i := range members {
		tail := t.entries[i].key.Tail()
		t.tails[tail] = append(t.tails[tail], i)
	}
}

func (t *memTable) Len() int          { return len(t.entries) }
func (t *memTable) Path(i int32) Path { return t.entries[i].path }
func (t *memTable) Key(i int32) Key   { return t.entries[i].key }

func (t *memTable) ByKey(key []byte) []int32 {
	first, ok := t.byKey[Key(key)]
	if !ok {
		return nil
	}
	if len(t.twins) > 0 {
		if all := t.twins[Key(key)]; all != nil {
			return all
		}
	}
	return t.self[first : first+1]
}

func (t *memTable) Named(baseKey []byte) []int32 {
	if len(t.entries) == 0 {
		return nil
	}
	members := t.groups[Key(baseKey)]
	return t.order[members.start:members.end]
}

func (t *memTable) Ending(tail, baseKey []byte) []int32 {
	all := t.Named(baseKey)
	if len(all) <= LargeGroup || len(tail) == len(baseKey) {
		return all
	}
	return t.tails[Key(tail)]
}
