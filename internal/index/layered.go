package index

// layered is an immutable map: a large base and the changes on top of it. A zero value in over marks a removed key.
type layered[K comparable, V any] struct {
	base source[K, V] // shared between versions of the map
	over changes[K, V]
	zero func(V) bool
}

// source is a map that never changes.
type source[K comparable, V any] interface {
	get(key K) V
	keys(yield func(K) bool)
}

func newLayered[K comparable, V any](base source[K, V], zero func(V) bool) layered[K, V] {
	return layered[K, V]{base: base, zero: zero}
}

func (l layered[K, V]) get(key K) V {
	if value, ok := l.over.get(key); ok {
		return value
	}
	return l.base.get(key)
}

// keys yields every key that has a value, in no order.
func (l layered[K, V]) keys(yield func(K) bool) {
	for key, value := range l.over.all {
		if !l.zero(value) && !yield(key) {
			return
		}
	}
	l.base.keys(func(key K) bool {
		_, newer := l.over.get(key)
		return newer || yield(key)
	})
}

// with returns the map with some keys changed; a zero value removes its key.
func (l layered[K, V]) with(changes map[K]V) layered[K, V] {
	l.over = l.over.with(changes)
	return l
}
