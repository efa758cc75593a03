package index

import "maps"

// layered is an immutable map: with makes another one that shares what did
// not change. A value that is the zero value counts as absent.
type layered[K comparable, V any] struct {
	base map[K]V // large, shared
	over map[K]V // what came since; copied with each change
	size int
	zero func(V) bool
}

// flattenAt bounds the part that with copies.
const flattenAt = 2048

func newLayered[K comparable, V any](base map[K]V, zero func(V) bool) layered[K, V] {
	return layered[K, V]{base: base, size: len(base), zero: zero}
}

func (l layered[K, V]) get(key K) V {
	if value, ok := l.over[key]; ok {
		return value
	}
	return l.base[key]
}

// all yields every key that has a value, in no order.
func (l layered[K, V]) all(yield func(K, V) bool) {
	for key, value := range l.over {
		if !l.zero(value) && !yield(key, value) {
			return
		}
	}
	for key, value := range l.base {
		if _, newer := l.over[key]; !newer && !yield(key, value) {
			return
		}
	}
}

// with is the map with some keys changed; a zero value removes its key.
func (l layered[K, V]) with(changes map[K]V) layered[K, V] {
	if len(changes) == 0 {
		return l
	}
	next := layered[K, V]{base: l.base, over: make(map[K]V, len(l.over)+len(changes)), size: l.size, zero: l.zero}
	maps.Copy(next.over, l.over)
	for key, value := range changes {
		had, has := !l.zero(l.get(key)), !l.zero(value)
		switch {
		case has && !had:
			next.size++
		case had && !has:
			next.size--
		}
		next.over[key] = value
	}
	if len(next.over) > flattenAt {
		flat := make(map[K]V, next.size)
		next.all(func(key K, value V) bool { flat[key] = value; return true })
		next.base, next.over = flat, nil
	}
	return next
}
