package main

import (
	"errors"
	"io"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
)

// tally counts what visitors do.
type tally struct {
	calls  atomic.Int64
	errors atomic.Int64

	mu       sync.Mutex // guards what follows
	deeds    map[string]int
	failures map[string]int
}

func newTally() *tally { return &tally{deeds: map[string]int{}, failures: map[string]int{}} }

// did counts an action by its name.
func (t *tally) did(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.deeds[name]++
}

// failed counts a failure by its text.
func (t *tally) failed(err error) {
	t.errors.Add(1)
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := err.Error(); t.failures[text] > 0 || len(t.failures) < 20 {
		t.failures[text]++
	}
}

// sorted lists counts by name.
func sorted(counts map[string]int) []string { return slices.Sorted(maps.Keys(counts)) }

// ended reports whether an error is merely the end of a connection.
func ended(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || ok && timeout.Timeout()
}
