package patient

import (
	"context"
	"time"

	"obsidian-mcp/internal/store"
)

// Watch implements store.Store. It goes on when the store has been opened again.
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

// current returns the store, and a channel that is closed when it is replaced; nil if there is no store at the moment.
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

// forward passes on the events of a store until ctx ends, the store closes its channel, or the store is replaced. It does
// not wait for a store that hangs.
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
