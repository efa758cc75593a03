package patient

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// outcome is the result of a call to the store.
type outcome[T any] struct {
	value T
	err   error
}

// ask makes a call. If it only reads, ask returns when ctx ends, even if the call has not. If finish is set, ask waits
// for the call as long as the store is alive.
func ask[T any](ctx context.Context, s *Store, finish bool, call func(store.Store) (T, error)) (T, error) {
	var nothing T
	inner, err := s.opened(ctx)
	if err != nil {
		return nothing, err
	}
	var got outcome[T]
	over := make(chan struct{}) // closed when got is set
	go func() {
		defer close(over)
		got.value, got.err = guarded(inner, call)
	}()
	left := ctx.Done()
	if finish {
		left = nil
	}
	switch s.wait(inner, over, left) {
	case silent:
		return nothing, s.o.Silent
	case abandoned:
		return nothing, ctx.Err()
	}
	if got.err == nil {
		return got.value, nil
	}
	s.checkLost(inner, got.err)
	return got.value, s.o.Explain(got.err)
}

// guarded turns a panic into the error of the call. The goroutine is not the caller's, so the caller could not recover
// from it.
func guarded[T any](inner store.Store, call func(store.Store) (T, error)) (value T, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fault.Internal.Errorf("the store panicked: %v\n%s", problem, debug.Stack())
		}
	}()
	return call(inner)
}

// ending is how waiting for a call ended.
type ending int

const (
	answered ending = iota
	abandoned
	silent
)

// wait waits for a call as long as the store answers other calls.
func (s *Store) wait(inner store.Store, over, left <-chan struct{}) ending {
	timer := time.NewTimer(s.o.Limit / 2)
	defer timer.Stop()
	var probed chan struct{} // closed when the store has answered another call
	for {
		select {
		case <-over:
			return answered
		case <-left:
			return abandoned
		case <-probed:
			probed = nil
			timer.Reset(s.o.Limit / 2)
		case <-timer.C:
			if probed != nil {
				s.giveUp(over, probed)
				return silent
			}
			probed = make(chan struct{})
			timer.Reset(s.o.Limit / 2)
			go probe(inner, probed)
		}
	}
}

// probe makes a call whose result does not matter. The file need not exist.
func probe(inner store.Store, done chan<- struct{}) {
	defer close(done)
	_, _ = inner.Stat(context.Background(), "any.md")
}

// giveUp keeps all calls from the store until the hanging ones have returned.
func (s *Store) giveUp(hanging ...<-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hanging++
	go func() {
		for _, over := range hanging {
			<-over
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.hanging--
	}()
}

// Stat implements store.Store.
func (s *Store) Stat(ctx context.Context, path vpath.Path) (store.Info, error) {
	return ask(ctx, s, false, func(in store.Store) (store.Info, error) { return in.Stat(ctx, path) })
}

// Read implements store.Store.
func (s *Store) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	return ask(ctx, s, false, func(in store.Store) (store.File, error) { return in.Read(ctx, path, limit) })
}

// Branch implements store.Store.
func (s *Store) Branch(ctx context.Context, path vpath.Path, rev store.Rev, limit int64) (store.File, error) {
	return ask(ctx, s, false, func(in store.Store) (store.File, error) { return in.Branch(ctx, path, rev, limit) })
}

// Conflicted implements store.Store.
func (s *Store) Conflicted(ctx context.Context) ([]store.Conflict, error) {
	return ask(ctx, s, false, func(in store.Store) ([]store.Conflict, error) { return in.Conflicted(ctx) })
}

// Ancestor implements store.Store.
func (s *Store) Ancestor(ctx context.Context, path vpath.Path, rev store.Rev, limit int64) (store.File, error) {
	return ask(ctx, s, false, func(in store.Store) (store.File, error) { return in.Ancestor(ctx, path, rev, limit) })
}

// ReadMany implements store.Store.
func (s *Store) ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []store.Outcome {
	all, err := ask(ctx, s, false, func(in store.Store) ([]store.Outcome, error) { return in.ReadMany(ctx, paths, limit), nil })
	if err == nil {
		return all
	}
	all = make([]store.Outcome, len(paths))
	for i := range all {
		all[i].Err = err
	}
	return all
}

// TrashPath implements store.Store.
func (s *Store) TrashPath(ctx context.Context, path vpath.Path) (string, error) {
	return ask(ctx, s, false, func(in store.Store) (string, error) { return in.TrashPath(ctx, path) })
}

// Config implements store.Store.
func (s *Store) Config(ctx context.Context, name string) (store.File, error) {
	return ask(ctx, s, false, func(in store.Store) (store.File, error) { return in.Config(ctx, name) })
}

// Commit implements store.Store. A commit that was given up may still succeed later.
func (s *Store) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	return ask(ctx, s, true, func(in store.Store) ([]store.Result, error) { return in.Commit(ctx, changes) })
}

// Scan implements store.Store.
func (s *Store) Scan(ctx context.Context, want func(store.Info) bool, visit func(store.Found)) error {
	return s.scan(ctx, func(ctx context.Context, in store.Store, lasting *lasting) error {
		return in.Scan(ctx, lasting.wanted(want), lasting.visited(visit))
	})
}

// ScanUnknown implements store.Comparer.
func (s *Store) ScanUnknown(
	ctx context.Context, known store.Known, want func(store.Info) bool, visit func(store.Found),
) error {
	return s.scan(ctx, func(ctx context.Context, in store.Store, lasting *lasting) error {
		return store.ScanUnknown(ctx, in, lasting.known(known), lasting.wanted(want), lasting.visited(visit))
	})
}

// scan makes a scan, and sees to it that one that was given up calls nobody back.
func (s *Store) scan(ctx context.Context, run func(ctx context.Context, in store.Store, lasting *lasting) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // a scan that was given up stops when the store answers again
	var lasting lasting
	defer lasting.end()
	_, err := ask(ctx, s, true, func(in store.Store) (struct{}, error) { return struct{}{}, run(ctx, in, &lasting) })
	return err
}

// lasting calls back while a scan lasts.
type lasting struct {
	mu    sync.RWMutex // held for reading during each call
	ended bool         // guarded by mu
}

func (l *lasting) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
}

func (l *lasting) known(known store.Known) store.Known {
	return func() func(path, mark []byte) bool {
		isKnown := known()
		return func(path, mark []byte) bool {
			l.mu.RLock()
			defer l.mu.RUnlock()
			return l.ended || isKnown(path, mark)
		}
	}
}

func (l *lasting) wanted(want func(store.Info) bool) func(store.Info) bool {
	return func(info store.Info) bool {
		l.mu.RLock()
		defer l.mu.RUnlock()
		return !l.ended && want(info)
	}
}

func (l *lasting) visited(visit func(store.Found)) func(store.Found) {
	return func(found store.Found) {
		l.mu.RLock()
		defer l.mu.RUnlock()
		if !l.ended {
			visit(found)
		}
	}
}
