package vault

import (
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vault/call"
	"obsidian-mcp/internal/vault/history"
)

// A prompt speaks to an assistant in the user's name. A caller who sees only a part of the vault does not act for its
// owner, and so may read the prompts that are open to it, but not write them. Links in prompts still follow a note that
// such a caller renames, as they do in closed notes.

// guards reports whether a file is a prompt, or would be, that this caller may not write.
func (w *View) guards(path vpath.Path) bool {
	if !w.limited() || w.vault.prompts == "" {
		return false
	}
	_, isBelow := path.Below(w.vault.prompts)
	return isBelow
}

// CheckUnguarded refuses to change, move or delete a prompt if the caller may not do that.
func (w *View) CheckUnguarded(path vpath.Path) error {
	if !w.guards(path) {
		return nil
	}
	return fault.PermissionDenied.Errorf(
		"'%s' is in the folder of prompts, '%s': you may not write, move or delete notes there", path, w.vault.prompts).
		WithHint("choose another folder; only callers without limits may change prompts")
}

// checkGuarded is CheckUnguarded for a change of any kind.
func (w *View) checkGuarded(change store.Change) error {
	for _, path := range []vpath.Path{change.Path, change.To} {
		if w.MayRead(path) && w.guards(path) {
			return w.CheckUnguarded(path)
		}
	}
	return nil
}

// checkRelinked is checkGuarded for changes that update links: in existing notes they may.
func (w *View) checkRelinked(changes []store.Change) error {
	for _, change := range changes {
		if change.Op == store.Write && change.Base != "" {
			continue
		}
		if err := w.checkGuarded(change); err != nil {
			return err
		}
	}
	return nil
}

// guardsPast reports whether this caller may not undo what a change did to a file. Of a prompt, it may only undo an
// update of links that came with its own rename or deletion of another note.
func (w *View) guardsPast(past PastChange, file history.File, caller call.Caller) bool {
	if !w.guards(vpath.Path(file.Path)) && !w.guards(vpath.Path(file.To)) {
		return false
	}
	relinks := slices.ContainsFunc(past.Files, func(other history.File) bool {
		return (other.Op == history.Move || other.Op == history.Trash) && !w.guards(vpath.Path(other.Path)) && !w.guards(vpath.Path(other.To))
	})
	own := caller.Token != "" && past.Token == caller.Token
	return !own || !relinks || file.Op != history.Write || !file.Before.Exists() || !file.After.Exists()
}

// writableFolders lists open folders that the caller may be told to write to.
func (w *View) writableFolders() []vpath.Path {
	return slices.DeleteFunc(slices.Clone(w.scope.Folders()), func(folder vpath.Path) bool { return w.guards(folder.Join("note.md")) })
}
