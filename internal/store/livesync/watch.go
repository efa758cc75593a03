package livesync

import (
	"context"
	"sync"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// manyPaths is the number of changed files beyond which comparing all files is better, since they are then read in
// batches.
const manyPaths = 20

// watcher collects changes that its reader has not received yet.
type watcher struct {
	mu      sync.Mutex // guards paths and all
	paths   map[vpath.Path]bool
	all     bool
	pending chan struct{} // full if there is something to report
}

// notify adds paths; no paths mean everything.
func (w *watcher) notify(paths []vpath.Path) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, path := range paths {
		w.paths[path] = true
	}
	w.all = w.all || len(paths) == 0 || len(w.paths) > manyPaths
	select {
	case w.pending <- struct{}{}:
	default:
	}
}

func (w *watcher) take() store.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	event := store.Event{All: w.all}
	for path := range w.paths {
		event.Paths = append(event.Paths, path)
	}
	if event.All {
		event.Paths = nil
	}
	w.all = false
	clear(w.paths)
	return event
}

// Watch implements store.Store.
func (s *Store) Watch(ctx context.Context) <-chan store.Event {
	w := &watcher{paths: map[vpath.Path]bool{}, all: true, pending: make(chan struct{}, 1)}
	w.pending <- struct{}{}
	s.mu.Lock()
	s.watchers[w] = true
	s.mu.Unlock()
	events := make(chan store.Event)
	go func() {
		defer close(events)
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.watchers, w)
		}()
		for {
			select {
			case <-w.pending:
			case <-ctx.Done():
				return
			}
			select {
			case events <- w.take():
			case <-ctx.Done():
				return
			}
		}
	}()
	return events
}
