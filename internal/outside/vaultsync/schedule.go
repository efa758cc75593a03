package vaultsync

import (
	"context"
	"time"
)

// Every syncs again and again, a while after the last sync ended, until ctx ends. It counts the syncs of other servers of
// the same vault too.
func (s *Syncer) Every(ctx context.Context, pause time.Duration) {
	for {
		wait := pause
		if last, ok := s.Last(); ok {
			wait = min(max(time.Until(last.Time.Add(pause)), 0), pause)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if last, ok := s.Last(); ok && time.Since(last.Time) < pause && time.Since(last.Time) >= 0 {
			continue // somebody else has synced meanwhile
		}
		_, _ = s.Now(ctx) // which logs and keeps its outcome
	}
}
