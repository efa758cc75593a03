package history

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system"
)

// locked holds the lock as another process would.
func locked(t *testing.T, o Options) *os.File {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(o.Dir, lockName), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	if held, err := system.TryLock(file); !held || err != nil {
		t.Fatalf("%v, %v", held, err)
	}
	return file
}

// TestWaitingForLock: a change waits for another process, but only for lockPatience and
// no longer than its caller.
func TestWaitingForLock(t *testing.T) {
	t.Parallel()
	o := inFolder(t)
	h := quick(o)
	ids := number(t, h, 0, 1)
	file := locked(t, o)
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := h.Begin(t.Context(), numbered(1))
		if !errors.Is(err, fault.StoreUnavailable) || !errors.Is(err, errBusy) || time.Since(start) != lockPatience {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := h.Begin(ctx, numbered(1)); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if err := h.Prune(ctx); !errors.Is(err, fault.StoreUnavailable) {
			t.Error(err)
		}
		if err := h.Settle(ctx, ids[0], true); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		time.AfterFunc(3*time.Second, func() { file.Close() })
		ids = append(ids, number(t, h, 1, 2)...)
	})
	holds(t, "afterwards", h, ids)
}

// TestRemovedLockFileExcludesNobody: a lock on a removed file is ignored.
func TestRemovedLockFileExcludesNobody(t *testing.T) {
	t.Parallel()
	o := inFolder(t)
	h := quick(o)
	ids := number(t, h, 0, 1)
	locked(t, o)
	if err := os.Remove(filepath.Join(o.Dir, lockName)); err != nil {
		t.Fatal(err)
	}
	holds(t, "lock removed", h, append(ids, number(t, h, 1, 2)...))
}

func TestCancelledCalls(t *testing.T) {
	t.Parallel()
	h := quick(inFolder(t))
	ids := number(t, h, 0, 2)
	ctx, cancel := context.WithCancel(background)
	cancel()
	c := all(t, h)[0]
	_, stateErr := h.State(ctx)
	_, unsettledErr := h.Unsettled(ctx)
	_, contentErr := h.Content(ctx, c, c.Files[0].After)
	_, findErr := h.Find(ctx, ids[0])
	_, beginErr := h.Begin(ctx, numbered(3))
	for i, err := range []error{stateErr, unsettledErr, contentErr, findErr, beginErr, h.Each(ctx, func(Change) bool { return true })} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// TestClosedHistory: no change can begin, but those that have can be settled.
func TestClosedHistory(t *testing.T) {
	t.Parallel()
	h := quick(inFolder(t))
	p := begin(t, h, numbered(0))
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Begin(background, numbered(1)); !errors.Is(err, fault.StoreUnavailable) {
		t.Error(err)
	}
	if err := p.Made(nil); err != nil {
		t.Error(err)
	}
	holds(t, "closed", h, []string{p.ID()})
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, o Options) {
		h := quick(o)
		var wait sync.WaitGroup
		for i := range 4 {
			wait.Go(func() {
				for j := range 10 {
					record(t, h, numbered(i*10+j))
					if _, err := h.State(background); err != nil {
						t.Error(err)
					}
					if _, err := h.Unsettled(background); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for range 10 {
			for _, c := range all(t, h) {
				bytesOf(t, h, c)
			}
			if err := h.Prune(background); err != nil {
				t.Error(err)
			}
		}
		wait.Wait()
		if s, err := h.State(background); err != nil || s.Changes != 40 || s.Unsettled > 0 {
			t.Errorf("%+v, %v", s, err)
		}
	})
}
