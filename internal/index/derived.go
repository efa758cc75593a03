package index

import (
	"sync"

	"obsidian-mcp/internal/note/vpath"
)

// derived is what is computed from the texts of all notes when somebody asks for it, such as their tasks. It belongs to a
// snapshot, or to an earlier one, with the files that have changed since.
type derived[K, V any] struct {
	mu      sync.Mutex // guards what follows
	key     K          // the settings that it was computed with
	value   V
	isKnown bool
	isStale bool // the value is of an earlier snapshot
	changed map[vpath.Path]bool
	whole   *Snapshot // what the snapshot is a window of, or nil
}

// derivation says how to compute a derived value.
type derivation[K, V any] struct {
	same    func(a, b K) bool
	all     func() V
	update  func(earlier V, changed map[vpath.Path]bool) V
	through func(whole *Snapshot) V // from that of a snapshot that shows more
}

// get returns the value for some settings. It is computed once; after a change, only what the changed files are about is.
func (d *derived[K, V]) get(s *Snapshot, key K, by derivation[K, V]) V {
	d.mu.Lock()
	defer d.mu.Unlock()
	isKnown := d.isKnown && by.same(d.key, key)
	switch {
	case isKnown && !d.isStale:
	case d.whole != nil:
		d.value = by.through(d.whole)
	case isKnown:
		d.value = by.update(d.value, d.changed)
	default:
		d.value = by.all()
	}
	d.key, d.isKnown, d.isStale, d.changed = key, true, false, nil
	return d.value
}

// after takes over the value of an earlier snapshot, from which some files differ.
func (d *derived[K, V]) after(earlier *derived[K, V], changed ...[]vpath.Path) {
	earlier.mu.Lock()
	defer earlier.mu.Unlock()
	if !earlier.isKnown {
		return
	}
	d.value, d.key, d.isKnown, d.isStale, d.changed = earlier.value, earlier.key, true, true, map[vpath.Path]bool{}
	for path := range earlier.changed {
		d.changed[path] = true
	}
	for _, paths := range changed {
		for _, path := range paths {
			d.changed[path] = true
		}
	}
}
