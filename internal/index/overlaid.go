package index

import (
	"slices"

	"obsidian-mcp/internal/note/vpath"
)

// overlaid is an immutable map from keys to lists of items that files hold, such as links or tags. The lists of the base
// never change: items of files that changed since the base was built are skipped when a list is read, and the items that
// these files hold now are in fresh.
type overlaid[T any] struct {
	base    source[vpath.Key, []T]
	file    func(T) vpath.Path          // the file that holds an item
	changed changes[vpath.Path, *Entry] // files whose state differs from the base
	fresh   changes[vpath.Key, []T]     // items of the changed files
}

// get lists the items under a key, those of the base first.
func (o overlaid[T]) get(key vpath.Key) []T {
	list := o.base.get(key)
	if o.changed.len() == 0 {
		return list
	}
	list = slices.DeleteFunc(list, func(item T) bool { _, changed := o.changed.get(o.file(item)); return changed })
	return append(list, o.freshAt(key)...)
}

// keys yields every key that has items, in no order.
func (o overlaid[T]) keys(yield func(vpath.Key) bool) {
	for key, list := range o.fresh.all {
		if len(list) > 0 && !yield(key) {
			return
		}
	}
	o.base.keys(func(key vpath.Key) bool {
		return len(o.freshAt(key)) > 0 || o.changed.len() > 0 && len(o.get(key)) == 0 || yield(key)
	})
}

// freshAt lists the items of the changed files under a key.
func (o overlaid[T]) freshAt(key vpath.Key) []T {
	list, _ := o.fresh.get(key)
	return list
}

// with returns the lists after a change. Of the files that had changed before, gone lists the items to drop; added lists
// the items of the files that changed now; changed are all files that differ from the base after the change.
func (o overlaid[T]) with(gone, added map[vpath.Key][]T, changed changes[vpath.Path, *Entry]) overlaid[T] {
	next := make(map[vpath.Key][]T, len(gone)+len(added))
	for key, list := range gone {
		if len(o.freshAt(key)) == 0 {
			continue
		}
		dropped := map[vpath.Path]bool{}
		for _, item := range list {
			dropped[o.file(item)] = true
		}
		next[key] = without(o.freshAt(key), func(item T) bool { return dropped[o.file(item)] })
	}
	for key, list := range added {
		before, changed := next[key]
		if !changed {
			before = o.freshAt(key)
		}
		next[key] = append(slices.Clip(before), list...)
	}
	return overlaid[T]{base: o.base, file: o.file, changed: changed, fresh: o.fresh.with(next)}
}

// without returns a copy of a list, minus the items that drop selects.
func without[T any](list []T, drop func(T) bool) []T {
	rest := make([]T, 0, len(list))
	for _, item := range list {
		if !drop(item) {
			rest = append(rest, item)
		}
	}
	return rest
}
