package tool

import (
	"context"
	"errors"
	"time"

	"obsidian-mcp/internal/fault"
)

// Ended is the error of a call as its caller is told of it: one whose time was
// up, or that was cancelled, has timed out.
func Ended(err error, limit time.Duration) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Timeout.Errorf("the call took longer than %v", limit)
	case errors.Is(err, context.Canceled):
		return fault.Timeout.Errorf("the call was cancelled")
	}
	return err
}
