package index

import "sync"

// onceMap computes one value per key, on first use, and keeps it. Concurrent callers of get with the same key wait for
// the first one's result.
type onceMap[T any] struct {
	mu     sync.Mutex // guards values
	values map[string]func() T
}

func (m *onceMap[T]) get(key string, build func() T) T {
	m.mu.Lock()
	value := m.values[key]
	if value == nil {
		value = sync.OnceValue(build)
		if m.values == nil {
			m.values = map[string]func() T{}
		}
		m.values[key] = value
	}
	m.mu.Unlock()
	return value()
}
