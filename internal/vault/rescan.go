package vault

import (
	"context"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
)

// Exclusively runs a function while no tool of this program changes a file. Other programs are not kept from it.
func (v *Vault) Exclusively(ctx context.Context, run func() error) error {
	if err := v.committing.enter(ctx); err != nil {
		return err
	}
	defer v.committing.leave()
	return run()
}

// Rescan brings the index up to date with every file, and lists the files that are new or have changed since an earlier
// snapshot.
func (v *Vault) Rescan(ctx context.Context, before *index.Snapshot) ([]vpath.Path, error) {
	if err := v.rescan(ctx); err != nil {
		return nil, unavailable(err)
	}
	now := v.snapshot.Load()
	var changed []vpath.Path
	now.Files(func(path vpath.Path) bool {
		if !now.Same(before, path) && differ(before, now, path) {
			changed = append(changed, path)
		}
		return true
	})
	return changed, nil
}

// differ reports whether a file is new or has another content; of a file whose content is not indexed, whether the store
// says so.
func differ(before, now *index.Snapshot, path vpath.Path) bool {
	if same, isKnown := now.SameText(before, path); isKnown {
		return !same
	}
	return !before.Has(path) || !before.Marked(path, now.Entry(path).Mark)
}
