package tool

import (
	"context"
	"errors"
	"time"

	"obsidian-mcp/internal/fault"
)

// Ended turns the error of a call into the one that its caller sees: a call that ran
// out of time or was cancelled has timed out.
func Ended(err error, limit time.Duration) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Timeout.Errorf("the call took longer than %v", limit)
	case errors.Is(err, context.Canceled):
		return fault.Timeout.Errorf("the call was cancelled")
	}
	return err
}
