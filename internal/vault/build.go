package vault

import (
	"context"
	"errors"
	"sync"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// build publishes the first snapshot, made from the cache and the files that
// changed since, or from all files. It reports whether it is done: it succeeded,
// or the vault was closed.
func (v *Vault) build(ctx context.Context) bool {
	started := time.Now()
	v.seen.Store(0)
	var snapshot *index.Snapshot
	var err error
	how := "from the cache"
	if v.early == nil {
		snapshot, err = v.fromCache(ctx)
	}
	if snapshot == nil && err == nil {
		snapshot, err = v.fromFiles(ctx, v.publishTexts)
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
	v.limitGarbage(snapshot)
	v.publishWhole(snapshot)
	v.log.Info("indexed", "files", snapshot.Len(),
		"took", time.Since(started).Round(time.Millisecond).String(), "how", how)
	return true
}

// publishTexts publishes the first snapshot, which has no words yet.
func (v *Vault) publishTexts(early *index.Snapshot) {
	v.early = early
	v.rebuilding.Store(true) // until it has words
	v.snapshot.Store(early)
	close(v.readable)
}

// publishWhole publishes the first complete snapshot.
func (v *Vault) publishWhole(snapshot *index.Snapshot) {
	if v.early != nil {
		v.replaceBase(snapshot, v.early)
		v.early = nil
		v.rebuilding.Store(false)
	} else {
		v.snapshot.Store(snapshot)
		close(v.readable)
	}
	close(v.complete)
}

// fromFiles builds the index from all files. If early is not nil, it is called with a snapshot that has no words yet. If
// indexing the words fails after that, the next attempt uses the texts of the early snapshot: reading the files again would
// pick up changes without notifying listeners.
func (v *Vault) fromFiles(ctx context.Context, early func(*index.Snapshot)) (*index.Snapshot, error) {
	snapshot, err := v.buildInto(ctx, v.sink(), early)
	if failed, ok := errors.AsType[cacheError](err); ok && ctx.Err() == nil {
		v.log.Warn("the index cannot be cached", "error", failed.Error())
		return v.buildInto(ctx, new(index.Memory), early)
	}
	return snapshot, err
}

// GC percentages while an index is built. Reading words takes the most memory, most of it in large buffers, and so determines the peak;
// an index that stays in memory needs a low percentage all the time.
const (
	gcWhileReadingWords  = 50
	gcWhileBuildingInRAM = 10
)

func isInMemory(sink index.Sink) bool { _, ok := sink.(*index.Memory); return ok }

func (v *Vault) buildInto(ctx context.Context, sink index.Sink, early func(*index.Snapshot)) (*index.Snapshot, error) {
	if isInMemory(sink) {
		defer saveMemory(gcWhileBuildingInRAM)()
		defer unloading()()
	}
	if v.early != nil {
		defer saveMemory(gcWhileReadingWords)()
		if err := v.held(ctx, sink); err != nil {
			return nil, err
		}
		return v.early.Rebuild(ctx, sink)
	}
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
	snapshot, err := builder.Texts(folders)
	if err != nil || snapshot.HasWords() {
		return snapshot, err
	}
	if early != nil {
		early(snapshot)
	}
	defer saveMemory(gcWhileReadingWords)()
	if err := v.held(ctx, sink); err != nil {
		builder.Abandon()
		return nil, err
	}
	return builder.Words(ctx)
}

// held lets a test delay the indexing of words or make it fail. It does nothing in production.
func (v *Vault) held(ctx context.Context, sink index.Sink) error {
	if isInMemory(sink) || v.timing.words == nil {
		return nil
	}
	return v.timing.words(ctx)
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
