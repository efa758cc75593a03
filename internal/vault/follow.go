package vault

import (
	"context"
	"runtime/debug"
	"time"

	"obsidian-mcp/internal/note/vpath"
)

// follow builds the index and keeps it up to date until the vault is closed.
func (v *Vault) follow(ctx context.Context) {
	v.background.Go(func() {
		for !v.build(ctx) {
			pause(ctx, v.timing.retry)
		}
	})
	select {
	case <-v.readable:
	case <-ctx.Done():
		return // closed before the first index was built
	}
	events := v.store.Watch(ctx) // the first event asks for a full rescan
	var unread []vpath.Path      // could not be read; tried again
	rescanned := false           // whether the first rescan is done
	retries := rescanRetry{log: v.log, first: v.timing.retry}
	idle := idling{allocated: allocated, giveBack: func() { v.background.Go(giveBack) }}
	retry := time.NewTicker(v.timing.retry)
	defer retry.Stop()
	check := time.NewTicker(idleCheck)
	defer check.Stop()
	for {
		select {
		case event, open := <-events:
			if !open {
				return
			}
			if event.All {
				retries.finished(v.rescan(ctx))
				if !rescanned {
					rescanned = true
					v.log.Debug("following changes")
					if v.Ready() != nil {
						debug.FreeOSMemory() // memory that only the start needed
					}
				}
			}
			unread = append(unread, v.refresh(ctx, event.Paths, doubtYoung)...)
		case <-retry.C:
			if retries.isDue() {
				retries.finished(v.rescan(ctx))
			}
			unread = v.refresh(ctx, unread, trustMarks)
			v.consolidate(ctx)
		case <-check.C:
			if v.Ready() != nil {
				idle.check()
			}
		}
	}
}

// pause waits for a while, or until ctx ends.
func pause(ctx context.Context, wait time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(wait):
	}
}
