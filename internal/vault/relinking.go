package vault

import (
	"context"
	"errors"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// Relinking gives a limited view access to the whole vault, for links only: when
// a note is moved or deleted, links in closed notes must follow, and a new link
// must be unambiguous among all files. Code that uses it must not reveal anything
// about closed files, neither in an answer nor in what it writes to open files.
type Relinking struct {
	Snapshot *index.Snapshot // of the whole vault
	Format   edit.LinkFormat // for links in closed notes
	view     *View
}

// Relinking returns access to the whole vault for updating links.
func (w *View) Relinking(ctx context.Context) (*Relinking, error) {
	whole, err := w.vault.Texts(WithProgress(ctx, nil))
	if err != nil {
		return nil, w.withoutDetails(err, "the vault could not be read")
	}
	return &Relinking{Snapshot: whole, Format: w.vault.Settings(ctx).Links.Format, view: w}, nil
}

// Limited reports whether any file may be closed to the caller.
func (r *Relinking) Limited() bool { return r.view.limited() }

// Open reports whether the caller may see a file.
func (r *Relinking) Open(path vpath.Path) bool { return r.view.scope.Open(path) }

// ReadMany reads files whose links may have to change, open or closed. Errors do
// not reveal which files are closed.
func (r *Relinking) ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []store.Outcome {
	outcomes := r.view.vault.store.ReadMany(ctx, paths, limit)
	for i, path := range paths {
		if err := outcomes[i].Err; err != nil && !r.Open(path) && !errors.Is(err, fault.NotFound) {
			outcomes[i].Err = r.withoutDetails(err)
		}
	}
	return outcomes
}

// Config reads a file of Obsidian's settings, such as bookmarks.json.
func (r *Relinking) Config(ctx context.Context, name string) (store.File, error) {
	return r.view.vault.store.Config(ctx, name)
}

// Commit makes changes to open and closed files as one unit.
func (r *Relinking) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	if err := r.view.checkRelinked(changes); err != nil {
		return nil, err
	}
	results, err := r.view.vault.Commit(ctx, changes)
	return results, r.withoutDetails(err)
}

func (r *Relinking) withoutDetails(err error) error {
	if r.view.limited() && errors.Is(err, fault.Conflict) {
		return fault.Conflict.Errorf("the vault changed at the same time").WithHint("try again")
	}
	return r.view.withoutDetails(err, "the vault could not be changed")
}
