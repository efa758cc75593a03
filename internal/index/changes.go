package index

import "maps"

// changes is an immutable map that is cheap to change: with copies only the changes since the last time it copied all.
type changes[K comparable, V any] struct {
	older, recent map[K]V
	count         int
}

// recentChanges is how many changes are copied each time.
const recentChanges = 16

func changesOf[K comparable, V any](all map[K]V) changes[K, V] {
	return changes[K, V]{older: all, count: len(all)}
}

func (c changes[K, V]) len() int { return c.count }

func (c changes[K, V]) get(key K) (value V, ok bool) {
	if value, ok = c.recent[key]; !ok {
		value, ok = c.older[key]
	}
	return value, ok
}

// all yields every key with its value, in no order.
func (c changes[K, V]) all(yield func(K, V) bool) {
	for key, value := range c.recent {
		if !yield(key, value) {
			return
		}
	}
	for key, value := range c.older {
		if _, newer := c.recent[key]; !newer && !yield(key, value) {
			return
		}
	}
}

// with returns the map with more changes.
func (c changes[K, V]) with(more map[K]V) changes[K, V] {
	if len(more) == 0 {
		return c
	}
	next := changes[K, V]{older: c.older, count: c.count}
	for key := range more {
		if _, known := c.get(key); !known {
			next.count++
		}
	}
	if len(c.recent)+len(more) > recentChanges {
		next.older = make(map[K]V, next.count)
		maps.Copy(next.older, c.older)
		maps.Copy(next.older, c.recent)
		maps.Copy(next.older, more)
		return next
	}
	next.recent = make(map[K]V, len(c.recent)+len(more))
	maps.Copy(next.recent, c.recent)
	maps.Copy(next.recent, more)
	return next
}
