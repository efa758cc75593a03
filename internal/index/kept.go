package index

import "sync"

// kept holds what was made of something, by key, for as long as that lives.
// Each is made once; whoever comes meanwhile waits for it.
type kept[T any] struct {
	mu  sync.Mutex // guards all
	all map[string]func() T
}

func (k *kept[T]) get(key string, build func() T) T {
	k.mu.Lock()
	once := k.all[key]
	if once == nil {
		once = sync.OnceValue(build)
		if k.all == nil {
			k.all = map[string]func() T{}
		}
		k.all[key] = once
	}
	k.mu.Unlock()
	return once()
}
