package patient

import (
	"context"
	"time"

	"obsidian-mcp/internal/store"
)

// Watch implements store.Store. It goes on with a store that was opened again.
func (s *Store) Watch(ctx context.Context) <-chan store.Event {
	events := make(chan store.Event)
	go func() {
		defer close(events)
		for ctx.Err() == nil {
			inner, renewed := s.current(ctx)
			if inner == nil {
				continue
			}
			forward(ctx, inner, renewed, events)
		}
	}()
	return events
}

// current is the store, and what tells that it is no longer the one; nil where
// there is none for now.
func (s *Store) current(ctx context.Context) (store.Store, <-chan struct{}) {
	inner, err := s.opened(ctx)
	if err != nil {
		select {
		case <-ctx.Done():
		case <-time.After(reopening):
		}
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inner != inner {
		return nil, nil
	}
	return inner, s.renewed
}

// forward passes on the events of a store until ctx ends, its channel is closed,
// or it has given way to another. It does not wait for a store that hangs.
func forward(ctx context.Context, inner store.Store, renewed <-chan struct{}, events chan<- store.Event) {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	from := inner.Watch(watching)
	for {
		select {
		case event, open := <-from:
			if !open {
				return
			}
			select {
			case events <- event:
			case <-ctx.Done():
				return
			}
		case <-renewed:
			return
		case <-ctx.Done():
			return
		}
	}
}
