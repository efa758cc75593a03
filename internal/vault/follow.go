package vault

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// follow builds the index and keeps it up to date until the vault is closed.
func (v *Vault) follow(ctx context.Context) {
	for !v.build(ctx) {
		pause(ctx, v.timing.retry)
	}
	if v.snapshot.Load() == nil {
		return // closed before the first index was built
	}
	events := v.store.Watch(ctx) // the first event asks for a full rescan
	var unread []vpath.Path      // could not be read; tried again
	rescanned := false           // whether the first rescan is done
	retries := rescanRetry{log: v.log, first: v.timing.retry}
	retry := time.NewTicker(v.timing.retry)
	defer retry.Stop()
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
					debug.FreeOSMemory() // the rest of what the start needed
				}
			}
			unread = append(unread, v.refresh(ctx, event.Paths, doubtYoung)...)
		case <-retry.C:
			if retries.isDue() {
				retries.finished(v.rescan(ctx))
			}
			unread = v.refresh(ctx, unread, trustMarks)
			v.consolidate(ctx)
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

// build publishes the first snapshot, made from the cache and the files that
// changed since, or from all files. It reports whether it is done: it succeeded,
// or the vault was closed.
func (v *Vault) build(ctx context.Context) bool {
	started := time.Now()
	v.seen.Store(0)
	snapshot, err := v.fromCache(ctx)
	how := "from the cache"
	if snapshot == nil && err == nil {
		snapshot, err = v.fromFiles(ctx)
		how = "from all files"
	}
	if err != nil {
		if ctx.Err() == nil {
			v.log.Error("the vault could not be read", "error", err.Error())
		}
		v.failure.Store(buildFailure{unavailable(err)})
		return ctx.Err() != nil
	}
	v.failure.Store(buildFailure{})
	v.snapshot.Store(snapshot)
	close(v.ready)
	v.background.Go(debug.FreeOSMemory) // building takes more memory than the index keeps
	v.log.Info("indexed", "files", snapshot.Len(),
		"took", time.Since(started).Round(time.Millisecond).String(), "how", how)
	return true
}

// fromFiles builds the index from all files.
func (v *Vault) fromFiles(ctx context.Context) (*index.Snapshot, error) {
	snapshot, err := v.buildInto(ctx, v.sink())
	if failed, ok := errors.AsType[cacheError](err); ok && ctx.Err() == nil {
		v.log.Warn("the index cannot be cached", "error", failed.Error())
		return v.buildInto(ctx, new(index.Memory))
	}
	return snapshot, err
}

// gcWhileBuilding returns a GC percentage that keeps peak memory low while large
// buffers are alive; an index that stays in memory needs an even lower one.
func gcWhileBuilding(sink index.Sink) (percent int) {
	if _, inMemory := sink.(*index.Memory); inMemory {
		return 10
	}
	return 20
}

func (v *Vault) buildInto(ctx context.Context, sink index.Sink) (*index.Snapshot, error) {
	defer saveMemory(gcWhileBuilding(sink))()
	builder := index.NewBuilder(sink)
	yieldUntil := time.Now().Add(3 * time.Second)
	var mu sync.Mutex // guards folders
	var folders []vpath.Path
	err := v.store.Scan(ctx, func(info store.Info) bool { return index.WantsContent(info.Path) }, func(found store.Found) {
		if !found.Folder {
			v.seen.Add(1)
			builder.Add(v.parsed(found))
			v.yieldToReaders(ctx, yieldUntil)
			return
		}
		if found.Err == nil {
			mu.Lock()
			defer mu.Unlock()
			folders = append(folders, found.Path)
		}
	})
	if err != nil {
		builder.Abandon()
		return nil, err
	}
	return builder.Finish(folders)
}

// yieldToReaders pauses the scan while callers read files directly, but only
// until a deadline.
func (v *Vault) yieldToReaders(ctx context.Context, until time.Time) {
	for v.directReads.Load() > 0 && ctx.Err() == nil && time.Now().Before(until) {
		time.Sleep(time.Millisecond)
	}
}

// parsed returns the entry of a file that a scan found. A file that could not be
// read gets an entry without a mark, so that the next refresh reads it.
func (v *Vault) parsed(found store.Found) *index.Entry {
	parser := v.parsers.Get().(*index.Parser)
	defer v.parsers.Put(parser)
	entry := stamped(parser.Parse(found.Path, found.Data), found.Info)
	if found.Err != nil {
		entry.Mark = ""
	}
	return entry
}
