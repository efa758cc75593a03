package vault

import (
	"context"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/vault/history"
)

// judge decides whether a file may be replaced although it is not as the change left it.
type judge func(path vpath.Path, now plannedFile, left history.Content) bool

// replaces is the judge of open files: they are replaced, but that is a conflict unless the undo is forced.
func (u *Undo) replaces(path vpath.Path, now plannedFile, left history.Content) bool {
	if !u.force && !u.judged[u.past.ID] {
		u.conflict(UndoConflict{Path: path, Changed: true, Reason: describeThen(left.Hash) + ", and now it " + describeNow(now.hash)})
	}
	return true
}

// leaves is the judge of closed files.
func leaves(vpath.Path, plannedFile, history.Content) bool { return false }

func describeThen(hash string) string {
	if hash == "" {
		return "was absent"
	}
	return "had the hash " + hash
}

func describeNow(hash string) string {
	if hash == "" {
		return "is absent"
	}
	return "has " + hash
}

// add plans to undo what the change did to a file.
func (u *Undo) add(ctx context.Context, file history.File, may judge) error {
	path := vpath.Path(file.Path)
	switch {
	case file.Op == history.Config:
		u.restoreConfig(ctx, file)
		return nil
	case file.Op == history.Move:
		return u.moveBack(ctx, file, may)
	case !file.Before.Exists():
		return u.remove(ctx, path, file.After, may)
	}
	return u.restore(ctx, path, file, file.After, may)
}

// restore plans to give a file the content that it had before the change.
func (u *Undo) restore(ctx context.Context, path vpath.Path, file history.File, left history.Content, may judge) error {
	now, err := u.state.at(ctx, path)
	if err != nil || now.is(file.Before) {
		return err
	}
	if now.is(left) || may(path, now, left) {
		u.state.set(path, u.before(file, now.origin))
	}
	return nil
}

// before returns a file with the content that it had before the change.
func (u *Undo) before(file history.File, origin vpath.Path) plannedFile {
	return plannedFile{hash: file.Before.Hash, origin: origin, load: u.loader(file), change: u.past.ID}
}

// remove plans to trash a file that did not exist before the change.
func (u *Undo) remove(ctx context.Context, path vpath.Path, left history.Content, may judge) error {
	now, err := u.state.at(ctx, path)
	if err != nil || !now.exists() {
		return err
	}
	if now.is(left) || may(path, now, left) {
		u.state.set(path, plannedFile{})
	}
	return nil
}

// moveBack plans to move a file back to its old path and to restore its content.
func (u *Undo) moveBack(ctx context.Context, file history.File, may judge) error {
	path, to := vpath.Path(file.Path), vpath.Path(file.To)
	moved, err := u.state.at(ctx, to)
	if err != nil {
		return err
	}
	original, isPlanned := u.state.files[path]
	if !isPlanned && (path.Key() != to.Key() || !moved.exists()) { // else it may be the same file
		if original, err = u.state.at(ctx, path); err != nil {
			return err
		}
	}
	switch {
	case !moved.exists() && original.is(file.Before):
		return nil
	case !moved.is(file.After) && !may(to, moved, file.After),
		original.exists() && !may(path, original, history.Content{}):
		return nil
	}
	back := u.before(file, moved.origin)
	if moved.is(file.Before) {
		back = moved
	}
	if original.exists() {
		back.origin = original.origin
	}
	u.state.set(path, back)
	u.state.set(to, plannedFile{})
	return nil
}

// restoreConfig plans to restore a file of Obsidian's settings, unless Obsidian has
// changed it since.
func (u *Undo) restoreConfig(ctx context.Context, file history.File) {
	now, err := u.state.config(ctx, file.Path)
	if err == nil && file.Before.Exists() && now.hash == file.After.Hash {
		now.hash, now.load = file.Before.Hash, u.loader(file)
	}
}

// loader returns a function that loads the content of a file before the change. The history need not have it unless it
// is loaded.
func (u *Undo) loader(file history.File) loader {
	past := u.past
	return func(ctx context.Context) ([]byte, error) {
		if file.Op == history.Trash && !file.Before.Kept {
			return nil, fault.NotFound.Errorf("'%s' is too large for the history and cannot be restored from it", file.Path).
				WithHint("restore it from the vault's trash: %s", file.Trash)
		}
		return u.view.Content(ctx, past, file.Before)
	}
}
