package vault

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vpath"
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
	events := v.store.Watch(ctx) // its first event asks for a look at what changed before
	var again []vpath.Path       // could not be read, and are tried once more
	retry := time.NewTicker(v.retry)
	defer retry.Stop()
	for {
		select {
		case event, open := <-events:
			if !open {
				return
			}
			if event.All {
				if err := v.rescan(ctx); err != nil && ctx.Err() == nil {
					v.log.Warn("the vault could not be scanned; what is known of it is kept", "error", err.Error())
				}
			}
			again = append(again, v.refresh(ctx, event.Paths)...)
		case <-retry.C:
			again = v.refresh(ctx, again)
		}
	}
}

// build makes the first snapshot.
func (v *Vault) build(ctx context.Context) bool {
	started := time.Now()
	v.seen.Store(0)
	scan := v.scan(ctx, func(store.Info) bool { return true }, nil)
	if scan.err != nil {
		if ctx.Err() == nil {
			v.log.Error("the vault could not be read", "error", scan.err.Error())
		}
		v.failure.Store(problem{unavailable(scan.err)})
		return ctx.Err() != nil
	}
	v.failure.Store(problem{})
	v.snapshot.Store(index.New(scan.entries, scan.folders))
	close(v.ready)
	v.log.Info("indexed", "files", len(scan.entries), "took", time.Since(started).Round(time.Millisecond).String())
	return true
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
	out := scanned{same: map[vpath.Path]bool{}}
	out.err = v.store.Scan(ctx, func(info store.Info) bool {
		return (info.Path.IsNote() || info.Path.IsCanvas()) && want(info)
	}, func(found store.Found) {
		if !found.Folder {
			v.seen.Add(1)
		}
		var entry *index.Entry
		if !found.Folder && want(found.Info) && (found.Err == nil || before == nil || before.Entry(found.Path) == nil) {
			parser := v.parsers.Get().(*index.Parser)
			entry = stamped(parser.Parse(found.Path, found.Data), found.Info)
			v.parsers.Put(parser)
			if found.Err != nil {
				entry.Mark = "" // read it again at the next chance
			}
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
	scan := v.scan(ctx, func(info store.Info) bool {
		entry := before.Entry(info.Path)
		return entry == nil || entry.Mark != info.Mark
	}, before)
	if scan.err != nil {
		return scan.err
	}
	there := scan.same
	for _, entry := range scan.entries {
		there[entry.Path] = true
	}
	if len(there) == 0 && before.Len() > 0 {
		return fault.StoreUnavailable.Errorf("all %d files seem to be gone", before.Len())
	}
	change := index.Change{Updated: scan.entries}
	found := map[vpath.Path]bool{}
	for _, folder := range scan.folders {
		found[folder] = true
		if known, ok := before.Folder(folder); !ok || known != folder {
			change.Folders = append(change.Folders, folder)
		}
	}
	before.Entries(func(entry *index.Entry) bool {
		if !there[entry.Path] && !below(entry.Path, scan.failed) {
			change.Removed = append(change.Removed, entry.Path)
		}
		return true
	})
	before.Folders(func(folder vpath.Path) bool {
		if !found[folder] && !slices.Contains(scan.failed, folder) && !below(folder, scan.failed) {
			change.FoldersGone = append(change.FoldersGone, folder)
		}
		return true
	})
	v.refresh(ctx, v.apply(before, change))
	return nil
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
func (v *Vault) refresh(ctx context.Context, paths []vpath.Path) (failed []vpath.Path) {
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
			entry, err := v.changedEntry(ctx, before, parser, info)
			if err != nil {
				failed = append(failed, path)
			} else if entry != nil {
				change.Updated = append(change.Updated, entry)
			}
		}
	}
	if overtaken := v.apply(before, change); len(overtaken) > 0 && ctx.Err() == nil {
		failed = append(failed, v.refresh(ctx, overtaken)...)
	}
	return failed
}

// entryAt is the path of the file that the index has there, if any.
func entryAt(before *index.Snapshot, path vpath.Path) []vpath.Path {
	if before.Entry(path) == nil {
		return nil
	}
	return []vpath.Path{path}
}

// gone lists what went away with a path: the file, or all in the folder.
func (v *Vault) gone(before *index.Snapshot, path vpath.Path) []vpath.Path {
	if before.Entry(path) != nil {
		return []vpath.Path{path}
	}
	var all []vpath.Path
	if _, isFolder := before.Folder(path); isFolder {
		before.Entries(func(entry *index.Entry) bool {
			if entry.Path.In(path) {
				all = append(all, entry.Path)
			}
			return true
		})
	}
	return all
}

// changedEntry reads a file if it is not the one that the index knows.
func (v *Vault) changedEntry(ctx context.Context, before *index.Snapshot, parser *index.Parser, info store.Info) (*index.Entry, error) {
	if entry := before.Entry(info.Path); entry != nil && entry.Mark == info.Mark {
		return nil, nil
	}
	if !info.Path.IsNote() && !info.Path.IsCanvas() || info.Size > store.MaxScan {
		return stamped(parser.Parse(info.Path, nil), info), nil
	}
	file, err := v.store.Read(ctx, info.Path, store.MaxScan)
	if err != nil {
		return nil, err
	}
	return stamped(parser.Parse(info.Path, notNil(file.Data)), file.Info), nil
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
			if now.Entry(path) == before.Entry(path) {
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
