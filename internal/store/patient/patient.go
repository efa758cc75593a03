// Package patient makes a store answer in time, also where the system beneath
// it does not: a call into a dead network mount or a disk that was pulled out
// may hang for ever, and nothing can end it.
//
// It promises that
//
//   - a call that gets no answer fails with StoreUnavailable after Limit, unless
//     the store still answers other questions: then it is slow, not dead;
//   - while such a call hangs, no other is made: each would hang a thread of its
//     own. All fail at once, until the one that hangs comes back;
//   - a store that could not be opened, or was lost, is opened again when it is
//     next asked for.
//
// A scan or a commit that was given up may still end later; what it visits then
// is not passed on, and what it changed is found by the next look at everything.
package patient

import (
	"context"
	"errors"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
)

// Options say how a store is opened, and how long it may take to answer.
type Options struct {
	// Open opens the store. It is called from one goroutine at a time.
	Open func() (store.Store, error)
	// Lost reports whether the store must be opened again to be reached. It is
	// asked when the store fails with StoreUnavailable; nil: never.
	Lost func() bool
	// Limit is how long the store may say nothing; 0 means Limit.
	Limit time.Duration
	// Silent is the error of a store that says nothing.
	Silent error
	// Explain puts the error of a call into words; nil: it is good as it is.
	Explain func(error) error
}

// Limit is how long a store may say nothing unless Options say otherwise.
const Limit = 5 * time.Second

// reopening is the least time between two attempts to open a store.
const reopening = time.Second

// Store is a store that answers in time.
type Store struct {
	o Options

	mu      sync.Mutex // guards what follows
	inner   store.Store
	renewed chan struct{} // closed when inner is no longer the store
	attempt *attempt      // the last to open it; nil: none so far
	hanging int           // calls that were given up and have not come back
	asking  bool          // somebody finds out whether the store is lost
	closed  bool
}

// attempt is one attempt to open the store.
type attempt struct {
	begun time.Time
	over  chan struct{} // closed when what follows is known
	err   error
	ended time.Time
}

// Open begins to open a store, and does not wait for it.
func Open(o Options) *Store {
	if o.Limit == 0 {
		o.Limit = Limit
	}
	if o.Silent == nil {
		o.Silent = fault.StoreUnavailable.Errorf("the vault does not answer")
	}
	if o.Explain == nil {
		o.Explain = func(err error) error { return err }
	}
	s := &Store{o: o, renewed: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin()
	return s
}

// Reach waits until the store is open, and tells why it is not.
func (s *Store) Reach(ctx context.Context) error {
	_, err := s.opened(ctx)
	return err
}

// opened is the store, once it is open.
func (s *Store) opened(ctx context.Context) (store.Store, error) {
	s.mu.Lock()
	if s.inner != nil {
		defer s.mu.Unlock()
		if s.hanging > 0 {
			return nil, s.o.Silent
		}
		return s.inner, nil
	}
	if s.closed {
		defer s.mu.Unlock()
		return nil, fault.StoreUnavailable.Errorf("the vault is closed")
	}
	now := s.begin()
	s.mu.Unlock()
	return s.await(ctx, now)
}

// begin begins to open the store, unless that is under way or was tried a moment
// ago. The caller holds mu.
func (s *Store) begin() *attempt {
	if last := s.attempt; last != nil && !last.isOld() {
		return last
	}
	now := &attempt{begun: time.Now(), over: make(chan struct{})}
	s.attempt = now
	go func() {
		inner, err := s.o.Open()
		s.mu.Lock()
		defer s.mu.Unlock()
		if err == nil && s.closed {
			go inner.Close()
		} else if err == nil {
			s.inner, s.renewed = inner, make(chan struct{})
		}
		now.err, now.ended = err, time.Now()
		close(now.over)
	}()
	return now
}

// isOld reports an attempt that ended long enough ago to make another.
func (a *attempt) isOld() bool { return a.isOver() && time.Since(a.ended) > reopening }

func (a *attempt) isOver() bool {
	select {
	case <-a.over:
		return true
	default:
		return false
	}
}

// await waits for an attempt.
func (s *Store) await(ctx context.Context, on *attempt) (store.Store, error) {
	timer := time.NewTimer(s.o.Limit - time.Since(on.begun)) // none is left to who comes late
	defer timer.Stop()
	select {
	case <-on.over:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		if !on.isOver() {
			return nil, s.o.Silent
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case on.err != nil:
		return nil, on.err
	case s.inner == nil:
		return nil, s.o.Silent // lost again already
	}
	return s.inner, nil
}

// met looks at the error of a call: it may tell that the store is lost.
func (s *Store) met(on store.Store, err error) {
	if s.o.Lost == nil || !errors.Is(err, fault.StoreUnavailable) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asking || s.inner != on {
		return
	}
	s.asking = true
	go func() {
		_, err := on.Stat(context.Background(), "any.md") // it may be that one file alone which cannot be read
		lost := errors.Is(err, fault.StoreUnavailable) && s.o.Lost()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asking = false
		if lost && s.inner == on && !s.closed {
			s.inner, s.attempt = nil, nil
			close(s.renewed)
			go on.Close()
		}
	}()
}

// Close implements store.Store. It does not wait for calls that hang.
func (s *Store) Close() error {
	s.mu.Lock()
	inner, hanging := s.inner, s.hanging
	s.inner, s.closed = nil, true
	s.mu.Unlock()
	if inner == nil {
		return nil
	}
	if hanging > 0 {
		go inner.Close()
		return nil
	}
	return inner.Close()
}
