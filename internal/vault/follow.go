package vault

import (
	"context"
	"errors"
	"io/fs"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// follow builds the index and keeps it fresh until the vault is closed.
func (v *Vault) follow(ctx context.Context) {
	for !v.build(ctx) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(v.retry):
		}
	}
	if v.snapshot.Load() == nil {
		return // closed before there was one
	}
	events := v.store.Watch(ctx) // its first event asks for a look at what changed before
	var again []vpath.Path       // could not be read, and are tried once more
	settled := false             // whether the look that a watch begins with is done
	var owed debt                // a look at everything that failed, and is tried again
	retry := time.NewTicker(v.retry)
	defer retry.Stop()
	for {
		select {
		case event, open := <-events:
			if !open {
				return
			}
			if event.All {
				owed.settle(v.rescan(ctx), v)
				if !settled {
					settled = true
					debug.FreeOSMemory() // the last of what starting took
				}
			}
			again = append(again, v.refresh(ctx, event.Paths, true)...)
		case <-retry.C:
			if owed.isDue() {
				owed.settle(v.rescan(ctx), v)
			}
			again = v.refresh(ctx, again, false)
			v.consolidate(ctx)
		}
	}
}

// build makes the first snapshot: from the cache, brought up to date, or from
// all files.
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
		v.failure.Store(problem{unavailable(err)})
		return ctx.Err() != nil
	}
	v.failure.Store(problem{})
	v.snapshot.Store(snapshot)
	close(v.ready)
	v.quiet.Go(debug.FreeOSMemory) // what building took is not needed again
	v.log.Info("indexed", "files", snapshot.Len(), "took", time.Since(started).Round(time.Millisecond).String(), "how", how)
	return true
}

// fromFiles reads everything.
func (v *Vault) fromFiles(ctx context.Context) (*index.Snapshot, error) {
	snapshot, err := v.buildInto(ctx, v.sink())
	if failed, ok := errors.AsType[cacheError](err); ok && ctx.Err() == nil {
		v.log.Warn("the index cannot be kept in a cache", "error", failed.Error())
		return v.buildInto(ctx, new(index.Memory))
	}
	return snapshot, err
}

// gcWhileBuilding keeps the peak low while large buffers are alive that leave
// little garbage; where the index itself stays in memory, lower still.
func gcWhileBuilding(sink index.Sink) (percent int) {
	if _, inMemory := sink.(*index.Memory); inMemory {
		return 10
	}
	return 20
}

func (v *Vault) buildInto(ctx context.Context, sink index.Sink) (*index.Snapshot, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcWhileBuilding(sink)))
	builder := index.NewBuilder(sink)
	patience := time.Now().Add(3 * time.Second)
	var mu sync.Mutex // guards folders
	var folders []vpath.Path
	err := v.store.Scan(ctx, func(info store.Info) bool { return index.WantsContent(info.Path) }, func(found store.Found) {
		if !found.Folder {
			v.seen.Add(1)
			builder.Add(v.parsed(found))
			v.giveWay(ctx, patience)
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

// giveWay waits while others cannot wait for the index, so that they read
// sooner; but not for ever.
func (v *Vault) giveWay(ctx context.Context, until time.Time) {
	for v.impatient.Load() > 0 && ctx.Err() == nil && time.Now().Before(until) {
		time.Sleep(time.Millisecond)
	}
}

// parsed is the entry of a file that a scan found. One that could not be read
// has its path, and is read at the next chance.
func (v *Vault) parsed(found store.Found) *index.Entry {
	parser := v.parsers.Get().(*index.Parser)
	defer v.parsers.Put(parser)
	entry := stamped(parser.Parse(found.Path, found.Data), found.Info)
	if found.Err != nil {
		entry.Mark = ""
	}
	return entry
}

// scanned is what a scan of the store found.
type scanned struct {
	entries []*index.Entry // of the files that were read
	same    map[vpath.Path]bool
	failed  []vpath.Path // files and folders that are there but could not be read
	folders []vpath.Path
	err     error
}

// scan reads all files that are wanted; of the others it notes that they are
// there. A file that cannot be read keeps its entry, or gets one of its path.
func (v *Vault) scan(ctx context.Context, want func(store.Info) bool, before *index.Snapshot) scanned {
	var mu sync.Mutex // guards out
	out := scanned{same: make(map[vpath.Path]bool, before.Len())}
	out.err = v.store.Scan(ctx, func(info store.Info) bool {
		return index.WantsContent(info.Path) && want(info)
	}, func(found store.Found) {
		if !found.Folder {
			v.seen.Add(1)
		}
		var entry *index.Entry
		if !found.Folder && want(found.Info) && (found.Err == nil || !before.Has(found.Path)) {
			entry = v.parsed(found).Detach()
		}
		mu.Lock()
		defer mu.Unlock()
		switch {
		case found.Folder && found.Err == nil:
			out.folders = append(out.folders, found.Path)
		case found.Folder:
			out.failed = append(out.failed, found.Path)
		case entry != nil:
			out.entries = append(out.entries, entry)
		default:
			out.same[found.Path] = true
		}
	})
	return out
}

// rescan looks at every file and reads those that changed.
func (v *Vault) rescan(ctx context.Context) error {
	before := v.snapshot.Load()
	change, err := v.changesSince(ctx, before)
	if err == nil {
		v.refresh(ctx, v.apply(before, change), false)
	}
	return err
}

// changesSince compares all files with a snapshot.
func (v *Vault) changesSince(ctx context.Context, before *index.Snapshot) (index.Change, error) {
	scan := v.scan(ctx, func(info store.Info) bool { return !before.Marked(info.Path, info.Mark) }, before)
	if scan.err != nil {
		return index.Change{}, scan.err
	}
	there := scan.same
	for _, entry := range scan.entries {
		there[entry.Path] = true
	}
	if len(there) == 0 && before.Len() > 0 {
		return index.Change{}, fault.StoreUnavailable.Errorf("all %d files seem to be gone", before.Len())
	}
	change := index.Change{Updated: scan.entries}
	found := map[vpath.Path]bool{}
	for _, folder := range scan.folders {
		found[folder] = true
		if known, ok := before.Folder(folder); !ok || known != folder {
			change.Folders = append(change.Folders, folder)
		}
	}
	before.Files(func(path vpath.Path) bool {
		if !there[path] && !below(path, scan.failed) {
			change.Removed = append(change.Removed, path)
		}
		return true
	})
	before.Folders(func(folder vpath.Path) bool {
		if !found[folder] && !slices.Contains(scan.failed, folder) && !below(folder, scan.failed) {
			change.FoldersGone = append(change.FoldersGone, folder)
		}
		return true
	})
	return change, nil
}

func below(path vpath.Path, folders []vpath.Path) bool {
	for _, folder := range folders {
		if path.In(folder) {
			return true
		}
	}
	return false
}

// refresh looks at single files again, and gives those that could not be read.
// In doubt, one that was changed a moment ago is read even if it looks the
// same: a clock's tick is long enough to be changed twice.
func (v *Vault) refresh(ctx context.Context, paths []vpath.Path, doubt bool) (failed []vpath.Path) {
	before := v.snapshot.Load()
	if before == nil || len(paths) == 0 {
		return nil
	}
	parser := v.parsers.Get().(*index.Parser)
	defer v.parsers.Put(parser)
	var change index.Change
	paths = slices.Compact(slices.Sorted(slices.Values(paths)))
	for _, path := range paths {
		info, err := v.store.Stat(ctx, path)
		switch {
		case errors.Is(err, fault.NotFound):
			change.Removed = append(change.Removed, v.gone(before, path)...)
		case errors.Is(err, fs.ErrPermission) || err != nil && !errors.Is(err, fault.PermissionDenied):
			failed = append(failed, path) // it is closed to us, which does not mean that it is gone
		case err != nil || info.Folder:
			change.Removed = append(change.Removed, entryAt(before, path)...) // something else took its place
			if info.Folder {
				change.Folders = append(change.Folders, path)
			}
		default:
			entry, err := v.changedEntry(ctx, before, parser, info, doubt)
			if err != nil {
				failed = append(failed, path)
			} else if entry != nil {
				change.Updated = append(change.Updated, entry)
			}
		}
	}
	if overtaken := v.apply(before, change); len(overtaken) > 0 && ctx.Err() == nil {
		failed = append(failed, v.refresh(ctx, overtaken, doubt)...)
	}
	return failed
}

// entryAt is the path of the file that the index has there, if any.
func entryAt(before *index.Snapshot, path vpath.Path) []vpath.Path {
	if !before.Has(path) {
		return nil
	}
	return []vpath.Path{path}
}

// gone lists what went away with a path: the file, or all in the folder.
func (v *Vault) gone(before *index.Snapshot, path vpath.Path) []vpath.Path {
	if before.Has(path) {
		return []vpath.Path{path}
	}
	var all []vpath.Path
	if _, isFolder := before.Folder(path); isFolder {
		before.Files(func(file vpath.Path) bool {
			if file.In(path) {
				all = append(all, file)
			}
			return true
		})
	}
	return all
}

// changedEntry reads a file if it is not the one that the index knows.
func (v *Vault) changedEntry(ctx context.Context, before *index.Snapshot, parser *index.Parser, info store.Info, doubt bool) (*index.Entry, error) {
	same := before.Marked(info.Path, info.Mark)
	if same && !(doubt && isYoung(info)) {
		return nil, nil
	}
	if !index.WantsContent(info.Path) || info.Size > store.MaxScan {
		return stamped(parser.Parse(info.Path, nil), info), nil
	}
	file, err := v.store.Read(ctx, info.Path, store.MaxScan)
	if err != nil {
		return nil, err
	}
	entry := stamped(parser.Parse(info.Path, notNil(file.Data)), file.Info)
	if same && entry.Hash() == before.Entry(info.Path).Hash() {
		return nil, nil
	}
	return entry, nil
}

// apply brings a change into the newest snapshot. What has changed there since
// before was taken may be newer than what was looked at: it stays, and its
// paths are given back to be looked at again.
func (v *Vault) apply(before *index.Snapshot, change index.Change) (overtaken []vpath.Path) {
	v.changing.Lock()
	defer v.changing.Unlock()
	now := v.snapshot.Load()
	if now != before {
		stale := func(path vpath.Path) bool {
			if now.Same(before, path) {
				return false
			}
			overtaken = append(overtaken, path)
			return true
		}
		change.Removed = drop(change.Removed, stale)
		change.Updated = drop(change.Updated, func(entry *index.Entry) bool { return stale(entry.Path) })
	}
	if len(change.Removed)+len(change.Updated)+len(change.Folders)+len(change.FoldersGone) > 0 {
		v.snapshot.Store(now.With(change))
		v.changed.Store(time.Now())
		v.announce(now, change)
	}
	return overtaken
}

func drop[T any](list []T, out func(T) bool) []T {
	kept := list[:0]
	for _, item := range list {
		if !out(item) {
			kept = append(kept, item)
		}
	}
	return kept
}
