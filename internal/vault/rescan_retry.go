package vault

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// rescanRetry schedules the repetition of a failed rescan, with pauses that grow.
// It logs each reason once.
type rescanRetry struct {
	log    *slog.Logger
	first  time.Duration // the first pause
	reason string        // "": the last rescan succeeded
	pause  time.Duration
	due    time.Time
}

const maxRescanPause = time.Minute

func (r *rescanRetry) isDue() bool { return r.reason != "" && !time.Now().Before(r.due) }

// finished notes how a rescan ended.
func (r *rescanRetry) finished(err error) {
	if err == nil || errors.Is(err, context.Canceled) {
		r.reason, r.pause = "", 0
		return
	}
	if err.Error() != r.reason {
		r.log.Warn("the vault could not be scanned; the last known state is kept", "error", err.Error())
	}
	r.reason, r.pause = err.Error(), min(max(2*r.pause, r.first), maxRescanPause)
	r.due = time.Now().Add(r.pause)
}
