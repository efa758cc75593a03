package vault

import (
	"context"
	"errors"
	"strings"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vault/call"
)

// View is a vault as one caller may see it. It is the only thing that tools
// know of a vault, so that permissions are kept in one place.
//
// What is closed to the caller looks like what does not exist: a limited view
// finds files by its index alone, and never asks the store for a path that the
// index does not have, since a system may take that for another spelling of
// something closed. Errors of the store are told by their kind.
//
// The view of the whole vault adds nothing to what the vault does.
type View struct {
	vault  *Vault
	scope  scope.Scope
	window *index.Window // nil: the whole vault
}

// Whole is the view of somebody to whom everything is open.
func (v *Vault) Whole() *View { return &View{vault: v} }

// View is the vault as somebody sees it to whom a scope is open. Views of
// equal scopes share what they know.
func (v *Vault) View(open scope.Scope) *View {
	if open.All() {
		return v.Whole()
	}
	return &View{vault: v, scope: open, window: &index.Window{Key: open.Key(), Open: open.Open}}
}

func (w *View) limited() bool { return w.window != nil }

// Key tells views of different rights apart; that of the whole vault is "".
func (w *View) Key() string { return w.scope.Key() }

// Snapshot is the vault as it is now, without what is closed. It waits for the
// first index, as Vault.Snapshot does; how many files that has seen so far is
// told to those alone who may see them all.
func (w *View) Snapshot(ctx context.Context) (*index.Snapshot, error) {
	if !w.limited() {
		return w.vault.Snapshot(ctx)
	}
	whole, err := w.vault.Snapshot(WithProgress(ctx, nil))
	if err != nil {
		return nil, w.hushed(err, "the vault could not be read")
	}
	return whole.Through(w.window), nil
}

// Ready is the vault as it is now, or nil while there is no index yet.
func (w *View) Ready() *index.Snapshot {
	whole := w.vault.Ready()
	if whole == nil || !w.limited() {
		return whole
	}
	return whole.Through(w.window)
}

// Files hands over open files, as Vault.Files does.
func (w *View) Files(ctx context.Context, want func(vpath.Path) bool, visit func(path vpath.Path, data []byte)) error {
	if !w.limited() {
		return w.vault.Files(ctx, want, visit)
	}
	err := w.vault.Files(ctx, func(path vpath.Path) bool { return w.scope.Open(path) && want(path) }, visit)
	return w.hushed(err, "the vault could not be read")
}

// sees reports whether a file is there for the caller.
func (w *View) sees(path vpath.Path) bool {
	if !w.limited() {
		return true
	}
	known := w.vault.Ready()
	return known != nil && known.Has(path) && w.scope.Open(path)
}

// absent is the error for a path that has no file, or has a closed one.
func absent(path vpath.Path) error { return fault.NotFound.Errorf("%q does not exist", string(path)) }

// Read gives a file with its revision.
func (w *View) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	if !w.sees(path) {
		return store.File{}, absent(path)
	}
	call.Of(ctx).NoteRead(string(path))
	return w.vault.Read(ctx, path, limit)
}

// ReadMany gives several files, as store.Store does.
func (w *View) ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []store.Outcome {
	all := make([]store.Outcome, len(paths))
	var seen []vpath.Path
	for i, path := range paths {
		if w.sees(path) {
			seen = append(seen, path)
			call.Of(ctx).NoteRead(string(path))
		} else {
			all[i].Err = absent(path)
		}
	}
	read := w.vault.store.ReadMany(ctx, seen, limit)
	for i := range all {
		if all[i].Err == nil {
			all[i], read = read[0], read[1:]
		}
	}
	return all
}

// Branch reads one side of a file's conflict, as store.Store does.
func (w *View) Branch(ctx context.Context, path vpath.Path, rev store.Rev, limit int64) (store.File, error) {
	if !w.sees(path) {
		return store.File{}, absent(path)
	}
	call.Of(ctx).NoteRead(string(path))
	return w.vault.store.Branch(ctx, path, rev, limit)
}

// Conflicts are the sides of a file's conflict that did not win. The index
// knows nothing of them: where the store cannot say, there are none.
func (w *View) Conflicts(ctx context.Context, path vpath.Path) []store.Rev {
	if !w.sees(path) {
		return nil
	}
	info, err := w.vault.store.Stat(ctx, path)
	if err != nil {
		return nil
	}
	return info.Conflicts
}

// Lookup finds a file that may have come up or gone since the last snapshot.
func (w *View) Lookup(ctx context.Context, path vpath.Path) (vpath.Path, bool) {
	if !w.sees(path) {
		return "", false
	}
	return w.vault.Lookup(ctx, path)
}

// Exists asks whether there is a file at a path.
func (w *View) Exists(ctx context.Context, path vpath.Path) (bool, error) {
	if !w.sees(path) {
		return false, nil
	}
	return w.vault.Exists(ctx, path)
}

// TrashPath tells where a file would go if it were trashed now.
func (w *View) TrashPath(ctx context.Context, path vpath.Path) (string, error) {
	if !w.sees(path) {
		return "", absent(path)
	}
	if w.limited() {
		return plainTrashPath(path), nil
	}
	return w.vault.TrashPath(ctx, path)
}

// ShownTrashPath is where a file has gone, as the caller is told. The number
// that makes it unique would tell what else was deleted.
func (w *View) ShownTrashPath(result store.Result) string {
	if w.limited() {
		return plainTrashPath(result.Path)
	}
	return result.TrashPath
}

func plainTrashPath(path vpath.Path) string { return ".trash/" + string(path) }

// Edit changes one note, as Vault.Edit does.
func (w *View) Edit(ctx context.Context, path vpath.Path, expected string, change func(*md.Note) ([]md.Splice, error)) (Edited, error) {
	if !w.sees(path) {
		return Edited{}, absent(path)
	}
	call.Of(ctx).NoteRead(string(path))
	return w.vault.Edit(ctx, path, expected, change)
}

// MayWrite reports whether the caller may have a file at a path, whatever is
// there. Names that Windows may take for a short form of others are refused to
// those who may not see all.
func (w *View) MayWrite(path vpath.Path) bool {
	return !w.limited() || w.scope.Open(path) && !isShortForm(path) && !strings.ContainsFunc(string(path), scope.IsInvisible)
}

// Closed is the error for writing where the caller may not. It names what the
// caller wrote, and is the same whether or not something is there.
func (w *View) Closed(asWritten string) error {
	hint := "choose another place"
	if folders := w.scope.Folders(); len(folders) > 0 {
		hint = "you may write in:"
		for _, folder := range folders {
			hint += " " + string(folder) + "/"
		}
	}
	return fault.PermissionDenied.Errorf("you may not write to '%s'", asWritten).WithHint("%s", hint)
}

// isShortForm reports a name such as PRIVAT~1.
func isShortForm(path vpath.Path) bool {
	for part := range strings.SplitSeq(string(path), "/") {
		if _, number, ok := strings.Cut(part, "~"); ok && number != "" && number[0] >= '0' && number[0] <= '9' {
			return true
		}
	}
	return false
}

// Commit makes changes of open files as one unit.
func (w *View) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	for _, change := range changes {
		if w.limited() && (change.Op == store.WriteConfig || !w.MayWrite(change.Path) || change.To != "" && !w.MayWrite(change.To)) {
			return nil, fault.PermissionDenied.Errorf("you may not write there")
		}
	}
	results, err := w.vault.Commit(ctx, changes)
	if errors.Is(err, fault.Conflict) || errors.Is(err, fault.AlreadyExists) {
		return nil, err // of one of these very files
	}
	return results, w.hushed(err, "it could not be written")
}

// Alone waits until no other edit is under way, as Vault.Alone does.
func (w *View) Alone(ctx context.Context) (done func(), err error) { return w.vault.Alone(ctx) }

// Settings are Obsidian's settings. In a limited view links are written from
// the root: a shorter form would show whether some closed note has the same
// name, and would mean that one wherever it comes first. New notes go where
// they can.
func (w *View) Settings(ctx context.Context) Settings {
	settings := w.vault.Settings(ctx)
	if !w.limited() {
		return settings
	}
	settings.Links.Format = edit.Absolute
	if folders := w.scope.Folders(); len(folders) == 1 && !w.scope.Open(settings.NewNotes.Join("note.md")) {
		settings.NewNotes = folders[0] // the one place that there is
	}
	return settings
}

// hushed keeps the kind of an error and tells the log the rest: the text may
// name what is closed.
func (w *View) hushed(err error, instead string) error {
	if err == nil || !w.limited() || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	w.vault.log.Warn("a limited view met an error", "error", err.Error())
	return fault.KindOf(err).Errorf("%s", instead)
}
