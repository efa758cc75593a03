package vault

import (
	"context"
	"slices"
	"sync"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// scanned is what a scan of the store found besides files that the index knows.
type scanned struct {
	entries []*index.Entry // of the files that were read
	failed  []vpath.Path   // files and folders that exist but could not be read
	folders []vpath.Path
	err     error
}

// scan reads the files that have changed since a comparison's snapshot. A file that cannot be read keeps its entry in the
// index, or gets one that has only its path.
func (v *Vault) scan(ctx context.Context, before *index.Snapshot, comparison *index.Comparison) scanned {
	var mu sync.Mutex // guards result
	var result scanned
	v.comparing.Store(comparison)
	defer func() {
		v.seen.Add(int64(comparison.Seen()))
		v.comparing.Store(nil)
	}()
	want := func(info store.Info) bool { return index.WantsContent(info.Path) }
	result.err = store.ScanUnknown(ctx, v.store, comparison.Known, want, func(found store.Found) {
		var entry *index.Entry
		if !found.Folder {
			if !comparison.See(found.Path) {
				v.seen.Add(1)
			}
			if found.Err == nil || !before.Has(found.Path) {
				entry = v.parsed(found).Detach()
			}
		}
		mu.Lock()
		defer mu.Unlock()
		switch {
		case found.Folder && found.Err == nil:
			result.folders = append(result.folders, found.Path)
		case found.Folder:
			result.failed = append(result.failed, found.Path)
		case entry != nil:
			result.entries = append(result.entries, entry)
		}
	})
	return result
}

// rescan compares every file with the index and reads those that changed.
func (v *Vault) rescan(ctx context.Context) error {
	before := v.snapshot.Load()
	change, err := v.changesSince(ctx, before)
	if err == nil {
		v.refresh(ctx, v.apply(before, change), trustMarks)
	}
	return err
}

// changesSince compares all files of the store with a snapshot.
func (v *Vault) changesSince(ctx context.Context, before *index.Snapshot) (index.Change, error) {
	comparison := before.Compare()
	scan := v.scan(ctx, before, comparison)
	if scan.err != nil {
		return index.Change{}, scan.err
	}
	if comparison.Seen()+len(scan.entries) == 0 && before.Len() > 0 {
		return index.Change{}, allGone(before.Len())
	}
	change := index.Change{Updated: scan.entries}
	found := map[vpath.Path]bool{}
	for _, folder := range scan.folders {
		found[folder] = true
		if known, ok := before.Folder(folder); !ok || known != folder {
			change.Folders = append(change.Folders, folder)
		}
	}
	for path := range comparison.Unseen {
		if !below(path, scan.failed) {
			change.Removed = append(change.Removed, path)
		}
	}
	before.Folders(func(folder vpath.Path) bool {
		if !found[folder] && !slices.Contains(scan.failed, folder) && !below(folder, scan.failed) {
			change.FoldersGone = append(change.FoldersGone, folder)
		}
		return true
	})
	return change, nil
}

// allGone is the error for a store that suddenly has no files, which usually means that its folder is not mounted.
func allGone(files int) error {
	return fault.StoreUnavailable.Errorf("all %d files seem to be gone", files)
}

func below(path vpath.Path, folders []vpath.Path) bool {
	for _, folder := range folders {
		if path.In(folder) {
			return true
		}
	}
	return false
}
