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

// scanned is the result of a scan of the store.
type scanned struct {
	entries []*index.Entry // of the files that were read
	same    map[vpath.Path]bool
	failed  []vpath.Path // files and folders that exist but could not be read
	folders []vpath.Path
	err     error
}

// scan reads the wanted files and lists the others. A file that cannot be read
// keeps its entry in the index, or gets one that has only its path.
func (v *Vault) scan(ctx context.Context, want func(store.Info) bool, before *index.Snapshot) scanned {
	var mu sync.Mutex // guards result
	result := scanned{same: make(map[vpath.Path]bool, before.Len())}
	result.err = v.store.Scan(ctx, func(info store.Info) bool {
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
			result.folders = append(result.folders, found.Path)
		case found.Folder:
			result.failed = append(result.failed, found.Path)
		case entry != nil:
			result.entries = append(result.entries, entry)
		default:
			result.same[found.Path] = true
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
	scan := v.scan(ctx, func(info store.Info) bool { return !before.Marked(info.Path, info.Mark) }, before)
	if scan.err != nil {
		return index.Change{}, scan.err
	}
	present := scan.same
	for _, entry := range scan.entries {
		present[entry.Path] = true
	}
	if len(present) == 0 && before.Len() > 0 {
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
		if !present[path] && !below(path, scan.failed) {
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
