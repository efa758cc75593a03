package index

import (
	"maps"
	"slices"

	"obsidian-mcp/internal/note/vpath"
)

// overlaid is an immutable map from keys to lists of items that files hold, such as links or tags. The lists of the base
// never change: items of files that changed since the base was built are skipped when a list is read, and the items that
// these files hold now are in fresh.
type overlaid[T any] struct {
	base    source[vpath.Key, []T]
	file    func(T) vpath.Path    // the file that holds an item
	changed map[vpath.Path]*Entry // files whose state differs from the base
	fresh   map[vpath.Key][]T     // items of the changed files
}

// get lists the items under a key, those of the base first.
func (o overlaid[T]) get(key vpath.Key) []T {
	list := o.base.get(key)
	if len(o.changed) == 0 {
		return list
	}
	list = slices.DeleteFunc(list, func(item T) bool { _, changed := o.changed[o.file(item)]; return changed })
	return append(list, o.fresh[key]...)
}

// keys yields every key that has items, in no order.
func (o overlaid[T]) keys(yield func(vpath.Key) bool) {
	for key, list := range o.fresh {
		if len(list) > 0 && !yield(key) {
			return
		}
	}
	o.base.keys(func(key vpath.Key) bool {
		return len(o.fresh[key]) > 0 || len(o.changed) > 0 && len(o.get(key)) == 0 || yield(key)
	})
}

// with returns the lists after a change. Of the files that had changed before, gone lists the items to drop; added lists
// the items of the files that changed now; changed are all files that differ from the base after the change.
func (o overlaid[T]) with(gone, added map[vpath.Key][]T, changed map[vpath.Path]*Entry) overlaid[T] {
	next := overlaid[T]{base: o.base, file: o.file, changed: changed, fresh: maps.Clone(o.fresh)}
	if next.fresh == nil {
		next.fresh = make(map[vpath.Key][]T, len(added))
	}
	for key, list := range gone {
		if len(next.fresh[key]) == 0 {
			continue
		}
		dropped := map[vpath.Path]bool{}
		for _, item := range list {
			dropped[o.file(item)] = true
		}
		next.fresh[key] = without(next.fresh[key], func(item T) bool { return dropped[o.file(item)] })
	}
	for key, list := range added {
		next.fresh[key] = append(slices.Clip(next.fresh[key]), list...)
	}
	return next
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
