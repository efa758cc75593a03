package system

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// errGaveUp is why a caller stopped waiting.
var errGaveUp = errors.New("gave up")

func TestLockWaitsUntilItIsFree(t *testing.T) {
	first, second := openTwice(t)
	if err := Lock(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		const held = 3 * time.Second
		start := time.Now()
		time.AfterFunc(held, func() { Unlock(first) })
		if err := Lock(t.Context(), second); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited < held || waited > held+longestPause {
			t.Errorf("waited for %v, the lock was held for %v", waited, held)
		}
	})
}

func TestLockEndsWithItsContext(t *testing.T) {
	first, second := openTwice(t)
	if err := Lock(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errGaveUp)
		defer cancel()
		if err := Lock(ctx, second); !errors.Is(err, errGaveUp) || time.Since(start) != time.Minute {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

func TestLockReportsFailure(t *testing.T) {
	first, _ := openTwice(t)
	first.Close()
	if err := Lock(t.Context(), first); err == nil {
		t.Error("locked a closed file")
	}
}
