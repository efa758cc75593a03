package vault

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// caution says what to do with a file that was modified a moment ago and has the
// same mark as in the index: a tick of the file system's clock is long enough for
// two changes.
type caution bool

const (
	trustMarks caution = false // take it as unchanged
	doubtYoung caution = true  // read it
)

// refresh compares some files with the store, reads those that changed, and returns
// those that could not be read.
func (v *Vault) refresh(ctx context.Context, paths []vpath.Path, caution caution) (failed []vpath.Path) {
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
			change.Removed = append(change.Removed, filesAt(before, path)...)
		case errors.Is(err, fs.ErrPermission) || err != nil && !errors.Is(err, fault.PermissionDenied):
			failed = append(failed, path) // we cannot read it, which does not mean that it is gone
		case err != nil || info.Folder:
			change.Removed = append(change.Removed, entryAt(before, path)...) // it is no longer a file
			if info.Folder {
				change.Folders = append(change.Folders, path)
			}
		default:
			entry, err := v.changedEntry(ctx, before, parser, info, caution)
			if err != nil {
				failed = append(failed, path)
			} else if entry != nil {
				change.Updated = append(change.Updated, entry)
			}
		}
	}
	if overtaken := v.apply(before, change); len(overtaken) > 0 && ctx.Err() == nil {
		failed = append(failed, v.refresh(ctx, overtaken, caution)...)
	}
	return failed
}

// entryAt returns the path if the index has a file there.
func entryAt(before *index.Snapshot, path vpath.Path) []vpath.Path {
	if !before.Has(path) {
		return nil
	}
	return []vpath.Path{path}
}

// filesAt lists the file at a path, or all files in the folder at a path.
func filesAt(before *index.Snapshot, path vpath.Path) []vpath.Path {
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

// changedEntry returns the new entry of a file, or nil if the index is up to date.
func (v *Vault) changedEntry(
	ctx context.Context, before *index.Snapshot, parser *index.Parser, info store.Info, caution caution,
) (*index.Entry, error) {
	same := before.Marked(info.Path, info.Mark)
	if same && (caution == trustMarks || !isYoung(info)) {
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
	if same && before.Holds(entry) {
		return nil, nil
	}
	return entry, nil
}

// apply publishes a change that was made by comparing the store with before. Files
// that have changed in the current snapshot since then may be newer: apply leaves
// them as they are, and returns their paths so that they are compared again.
func (v *Vault) apply(before *index.Snapshot, change index.Change) (overtaken []vpath.Path) {
	v.publishing.Lock()
	defer v.publishing.Unlock()
	now := v.snapshot.Load()
	if now != before {
		stale := func(path vpath.Path) bool {
			if now.Same(before, path) {
				return false
			}
			overtaken = append(overtaken, path)
			return true
		}
		change.Removed = slices.DeleteFunc(change.Removed, stale)
		change.Updated = slices.DeleteFunc(change.Updated, func(entry *index.Entry) bool { return stale(entry.Path) })
	}
	if len(change.Removed)+len(change.Updated)+len(change.Folders)+len(change.FoldersGone) > 0 {
		v.publish(now, change)
	}
	return overtaken
}
