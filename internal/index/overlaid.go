package index

import (
	"maps"
	"slices"

	"obsidian-mcp/internal/note/vpath"
)

// overlaid is lists of what files hold, by key. It is immutable. Those of the
// base stay as they are: what files hold that changed since is left out when a
// list is read, and what they hold now is kept beside it.
type overlaid[T any] struct {
	base    source[vpath.Key, []T]
	file    func(T) vpath.Path
	changed map[vpath.Path]*Entry // files whose state is not that of the base
	fresh   map[vpath.Key][]T     // what these hold now
}

// get lists what files hold under a key, those of the base first.
func (o overlaid[T]) get(key vpath.Key) []T {
	list := o.base.get(key)
	if len(o.changed) == 0 {
		return list
	}
	list = slices.DeleteFunc(list, func(one T) bool { _, out := o.changed[o.file(one)]; return out })
	return append(list, o.fresh[key]...)
}

// keys yields every key under which some file holds something, in no order.
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

// with is the lists after files changed: those that were changed before held
// what is gone, and all that came is new.
func (o overlaid[T]) with(before map[vpath.Path]*Entry, gone, came map[vpath.Key][]T, changed map[vpath.Path]*Entry) overlaid[T] {
	next := overlaid[T]{base: o.base, file: o.file, changed: changed, fresh: maps.Clone(o.fresh)}
	if next.fresh == nil {
		next.fresh = make(map[vpath.Key][]T, len(came))
	}
	for key, list := range gone {
		if len(next.fresh[key]) == 0 {
			continue
		}
		out := map[vpath.Path]bool{}
		for _, one := range list {
			if _, wasChanged := before[o.file(one)]; wasChanged {
				out[o.file(one)] = true
			}
		}
		next.fresh[key] = without(next.fresh[key], func(one T) bool { return out[o.file(one)] })
	}
	for key, list := range came {
		next.fresh[key] = append(slices.Clip(next.fresh[key]), list...)
	}
	return next
}

// without is a copy of a list without some of its items.
func without[T any](list []T, out func(T) bool) []T {
	kept := make([]T, 0, len(list))
	for _, item := range list {
		if !out(item) {
			kept = append(kept, item)
		}
	}
	return kept
}
