package system

import (
	"context"
	"os"
	"time"
)

// Lock waits for the lock of a file until it holds it, an attempt fails or ctx ends; then it returns the cause of that.
// Closing the file releases the lock.
func Lock(ctx context.Context, file *os.File) error {
	return AwaitLock(ctx, func() (bool, error) { return TryLock(file) })
}

// The pauses between attempts to take a lock: short at first, because most locks are held for a few milliseconds.
const (
	firstPause   = time.Millisecond
	longestPause = 20 * time.Millisecond
)

// AwaitLock is Lock for callers that do more than TryLock in each attempt. It polls, because a system call that waits
// could not be cancelled.
func AwaitLock(ctx context.Context, try func() (held bool, err error)) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		if held, err := try(); held || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}
