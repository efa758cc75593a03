package livesync

import (
	"context"
	"sync"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// manyPaths is from how many changed files on it is better to compare all:
// they are then read many at a time.
const manyPaths = 20

// watcher collects what its reader has not been told yet.
type watcher struct {
	mu    sync.Mutex // guards paths and all
	paths map[vpath.Path]bool
	all   bool
	news  chan struct{} // holds one when there is something to tell
}

// tell adds paths; none mean everything.
func (w *watcher) tell(paths []vpath.Path) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, path := range paths {
		w.paths[path] = true
	}
	w.all = w.all || len(paths) == 0 || len(w.paths) > manyPaths
	select {
	case w.news <- struct{}{}:
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
	w := &watcher{paths: map[vpath.Path]bool{}, all: true, news: make(chan struct{}, 1)}
	w.news <- struct{}{}
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
			case <-w.news:
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
