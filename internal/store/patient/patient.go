// Package patient makes a store answer in time even if the system below it does not: a call into a dead network mount or
// an unplugged disk may hang for ever, and nothing can end it.
//
// It promises that
//
//   - a call that gets no answer fails with StoreUnavailable after Limit, unless the store still answers other calls:
//     then it is slow, not dead;
//   - while a call hangs, no other call reaches the store, because each would block another thread. They fail at once
//     until the hanging call returns;
//   - a store that could not be opened, or was lost, is opened again when it is next used.
//
// A scan or a commit that was given up may still finish later. What the scan visits then is dropped, and what the commit
// changed is found by the next scan.
package patient

import (
	"context"
	"errors"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
)

// Options say how to open a store and how long it may take to answer.
type Options struct {
	// Open opens the store. It is called from one goroutine at a time.
	Open func() (store.Store, error)
	// Lost reports whether the store must be opened again to be reached. It is called when the store fails with
	// StoreUnavailable; nil: the store is never opened again.
	Lost func() bool
	// Limit is how long the store may take without any answer; 0: the constant Limit.
	Limit time.Duration
	// Silent is the error of calls to a store that does not answer.
	Silent error
	// Explain rewords the errors of calls; nil: they are returned as they are.
	Explain func(error) error
}

// Limit is how long a store may take without any answer unless Options say otherwise.
const Limit = 5 * time.Second

// reopening is the least time between two attempts to open a store.
const reopening = time.Second

// Store is a store that answers in time.
type Store struct {
	o Options

	mu       sync.Mutex // guards the fields below
	inner    store.Store
	renewed  chan struct{} // closed when inner is replaced
	attempt  *attempt      // the last attempt to open the store; nil: none so far
	hanging  int           // calls that were given up and have not returned
	checking bool          // a goroutine is finding out whether the store is lost
	closed   bool
}

// attempt is one attempt to open the store.
type attempt struct {
	begun time.Time
	over  chan struct{} // closed when the fields below are set
	err   error
	ended time.Time
}

// Open starts to open a store, and does not wait for it.
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

// Reach waits until the store is open, and returns why it is not.
func (s *Store) Reach(ctx context.Context) error {
	_, err := s.opened(ctx)
	return err
}

// opened waits until the store is open and returns it.
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
	attempt := s.begin()
	s.mu.Unlock()
	return s.await(ctx, attempt)
}

// begin starts to open the store, unless an attempt is running or has just ended. The caller holds mu.
func (s *Store) begin() *attempt {
	if last := s.attempt; last != nil && !last.isOld() {
		return last
	}
	started := &attempt{begun: time.Now(), over: make(chan struct{})}
	s.attempt = started
	go func() {
		inner, err := s.o.Open()
		s.mu.Lock()
		defer s.mu.Unlock()
		if err == nil && s.closed {
			go inner.Close()
		} else if err == nil {
			s.inner, s.renewed = inner, make(chan struct{})
		}
		started.err, started.ended = err, time.Now()
		close(started.over)
	}()
	return started
}

// isOld reports whether an attempt ended long enough ago to make another.
func (a *attempt) isOld() bool { return a.isOver() && time.Since(a.ended) > reopening }

func (a *attempt) isOver() bool {
	select {
	case <-a.over:
		return true
	default:
		return false
	}
}

// await waits for an attempt to open the store.
func (s *Store) await(ctx context.Context, on *attempt) (store.Store, error) {
	timer := time.NewTimer(s.o.Limit - time.Since(on.begun)) // already over for a caller that comes late
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
		return nil, s.o.Silent // it has been lost again
	}
	return s.inner, nil
}

// checkLost finds out, after a failed call, whether the store is lost and must be opened again.
func (s *Store) checkLost(on store.Store, err error) {
	if s.o.Lost == nil || !errors.Is(err, fault.StoreUnavailable) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.checking || s.inner != on {
		return
	}
	s.checking = true
	go func() {
		_, err := on.Stat(context.Background(), "any.md") // perhaps only that one file is unreadable
		lost := errors.Is(err, fault.StoreUnavailable) && s.o.Lost()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.checking = false
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
