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

// Relinking is the one door from a view to the whole vault: when a note moves
// or goes, the links to it have to follow in closed notes too, and a new link
// has to mean the right one of all files. Whoever goes through it must not tell
// what is behind: nothing of a closed file may be in an answer, nor in what is
// written into an open one.
type Relinking struct {
	Snapshot *index.Snapshot // of the whole vault
	Format   edit.LinkFormat // in which links in closed notes are written
	view     *View
}

// Relinking opens the door.
func (w *View) Relinking(ctx context.Context) (*Relinking, error) {
	whole, err := w.vault.Snapshot(WithProgress(ctx, nil))
	if err != nil {
		return nil, w.hushed(err, "the vault could not be read")
	}
	return &Relinking{Snapshot: whole, Format: w.vault.Settings(ctx).Links.Format, view: w}, nil
}

// Limited reports whether anything may be closed to the caller.
func (r *Relinking) Limited() bool { return r.view.limited() }

// Open reports whether the caller may know of a file.
func (r *Relinking) Open(path vpath.Path) bool { return r.view.scope.Open(path) }

// ReadMany gives files whose links may have to change, open or closed. That one
// is closed does not show in an error.
func (r *Relinking) ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []store.Outcome {
	all := r.view.vault.store.ReadMany(ctx, paths, limit)
	for i, path := range paths {
		if err := all[i].Err; err != nil && !r.Open(path) && !errors.Is(err, fault.NotFound) {
			all[i].Err = r.hushed(err)
		}
	}
	return all
}

// Bookmarks reads Obsidian's list of bookmarks, if there is one.
func (r *Relinking) Bookmarks(ctx context.Context) (store.File, error) {
	return r.view.vault.bookmarks(ctx)
}

// Commit makes changes of open and closed files as one unit.
func (r *Relinking) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	results, err := r.view.vault.Commit(ctx, changes)
	return results, r.hushed(err)
}

func (r *Relinking) hushed(err error) error {
	if r.view.limited() && errors.Is(err, fault.Conflict) {
		return fault.Conflict.Errorf("the vault changed at the same time").WithHint("try again")
	}
	return r.view.hushed(err, "the vault could not be changed")
}
