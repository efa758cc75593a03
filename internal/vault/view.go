package vault

import (
	"context"
	"errors"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vault/call"
)

// View is a vault as one caller may see it. Tools have no other access to a
// vault, so permissions are enforced in one place.
//
// A file that is closed to the caller looks as if it did not exist. A limited
// view finds files through its index only and never asks the store for a path
// that is not in the index: the file system might take it for another spelling
// of a closed file. Of the store's errors, a limited view passes on the kind
// only.
//
// A view of the whole vault passes everything through.
type View struct {
	vault  *Vault
	scope  Scope
	window *index.Window // nil: the whole vault
}

// Whole returns a view without limits.
func (v *Vault) Whole() *View { return &View{vault: v, scope: everything{}} }

// View returns the vault limited to a scope. Views with equal scopes share their
// filtered index.
func (v *Vault) View(scope Scope) *View {
	if scope.All() {
		return v.Whole()
	}
	return &View{vault: v, scope: scope, window: &index.Window{Key: scope.Key(), Open: scope.Open}}
}

func (w *View) limited() bool { return w.window != nil }

// Key identifies the view's rights; that of the whole vault is "".
func (w *View) Key() string { return w.scope.Key() }

// Snapshot returns the current index without closed files. It waits for the
// first index, as Vault.Snapshot does, but reports progress only to callers who
// may see all files: the number would reveal closed ones.
func (w *View) Snapshot(ctx context.Context) (*index.Snapshot, error) {
	return w.through(ctx, w.vault.Snapshot)
}

// Texts returns the current index without closed files. Like that of Vault.Texts, it may have no words yet.
func (w *View) Texts(ctx context.Context) (*index.Snapshot, error) {
	return w.through(ctx, w.vault.Texts)
}

func (w *View) through(ctx context.Context, get func(context.Context) (*index.Snapshot, error)) (*index.Snapshot, error) {
	if !w.limited() {
		return get(ctx)
	}
	whole, err := get(WithProgress(ctx, nil))
	if err != nil {
		return nil, w.withoutDetails(err, "the vault could not be read")
	}
	return whole.Through(w.window), nil
}

// Ready returns the current index without closed files, or nil while the first is
// being built.
func (w *View) Ready() *index.Snapshot { return w.part(w.vault.Ready()) }

// Readable returns the current index without closed files, which may have no words yet, or nil if there is none.
func (w *View) Readable() *index.Snapshot { return w.part(w.vault.Readable()) }

// part returns what the caller may see of an index. It returns nil for nil.
func (w *View) part(whole *index.Snapshot) *index.Snapshot {
	if whole == nil || !w.limited() {
		return whole
	}
	return whole.Through(w.window)
}

// Files reads open files, as Vault.Files does.
func (w *View) Files(ctx context.Context, want func(vpath.Path) bool, visit func(path vpath.Path, data []byte)) error {
	if !w.limited() {
		return w.vault.Files(ctx, want, visit)
	}
	err := w.vault.Files(ctx, func(path vpath.Path) bool { return w.scope.Open(path) && want(path) }, visit)
	return w.withoutDetails(err, "the vault could not be read")
}

// sees reports whether a file exists as far as the caller may know. In a view
// without limits the store answers that.
func (w *View) sees(path vpath.Path) bool {
	if !w.limited() {
		return true
	}
	snapshot := w.vault.Readable()
	return snapshot != nil && snapshot.Has(path) && w.scope.Open(path)
}

// absent is the error for a file that does not exist or is closed.
func absent(path vpath.Path) error { return fault.NotFound.Errorf("%q does not exist", string(path)) }

// Read returns a file with its revision.
func (w *View) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	if !w.sees(path) {
		return store.File{}, absent(path)
	}
	call.Of(ctx).NoteRead(string(path))
	return w.vault.Read(ctx, path, limit)
}

// ReadMany reads several files, as store.Store does.
func (w *View) ReadMany(ctx context.Context, paths []vpath.Path, limit int64) []store.Outcome {
	outcomes := make([]store.Outcome, len(paths))
	var visible []vpath.Path
	for i, path := range paths {
		if w.sees(path) {
			visible = append(visible, path)
			call.Of(ctx).NoteRead(string(path))
		} else {
			outcomes[i].Err = absent(path)
		}
	}
	read := w.vault.store.ReadMany(ctx, visible, limit)
	for i := range outcomes {
		if outcomes[i].Err == nil {
			outcomes[i], read = read[0], read[1:]
		}
	}
	return outcomes
}

// Branch reads one side of a file's conflict, as store.Store does.
func (w *View) Branch(ctx context.Context, path vpath.Path, rev store.Rev, limit int64) (store.File, error) {
	if !w.sees(path) {
		return store.File{}, absent(path)
	}
	call.Of(ctx).NoteRead(string(path))
	return w.vault.store.Branch(ctx, path, rev, limit)
}

// Conflicts returns the losing sides of a file's conflict. The index does not
// have them, so if the store fails there are none.
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

// Lookup finds a file that may have appeared or gone since the last snapshot.
func (w *View) Lookup(ctx context.Context, path vpath.Path) (vpath.Path, bool) {
	if !w.sees(path) {
		return "", false
	}
	return w.vault.Lookup(ctx, path)
}

// Exists reports whether a file exists.
func (w *View) Exists(ctx context.Context, path vpath.Path) (bool, error) {
	if !w.sees(path) {
		return false, nil
	}
	return w.vault.Exists(ctx, path)
}

// TrashPath returns where a file would go if it were trashed now.
func (w *View) TrashPath(ctx context.Context, path vpath.Path) (string, error) {
	if !w.sees(path) {
		return "", absent(path)
	}
	if w.limited() {
		return plainTrashPath(path), nil
	}
	return w.vault.TrashPath(ctx, path)
}

// ShownTrashPath returns the path in the trash to show to the caller. A limited
// view leaves out the number that makes it unique: it would reveal what else was
// deleted.
func (w *View) ShownTrashPath(result store.Result) string {
	if w.limited() {
		return plainTrashPath(result.Path)
	}
	return result.TrashPath
}

func plainTrashPath(path vpath.Path) string { return ".trash/" + string(path) }

// Edit changes a note, as Vault.Edit does.
func (w *View) Edit(ctx context.Context, path vpath.Path, expected string, change EditFunc) (Edited, error) {
	if !w.sees(path) {
		return Edited{}, absent(path)
	}
	if err := w.CheckUnguarded(path); err != nil {
		return Edited{}, err
	}
	call.Of(ctx).NoteRead(string(path))
	return w.vault.Edit(ctx, path, expected, change)
}

// MayWrite reports whether the caller may create or change a file, whether or not it exists.
func (w *View) MayWrite(path vpath.Path) bool { return w.scope.Writable(path) && !w.guards(path) }

// Closed is the error for writing where the caller may not. It names the path as
// the caller wrote it, and does not depend on whether the file exists.
func (w *View) Closed(asWritten string) error {
	if path, err := vpath.ParseNote(strings.TrimPrefix(asWritten, "/")); err == nil && w.MayRead(path) && w.guards(path) {
		return w.CheckUnguarded(path)
	}
	hint := "choose another folder"
	if folders := w.writableFolders(); len(folders) > 0 {
		hint = "you may write in:"
		for _, folder := range folders {
			hint += " " + string(folder) + "/"
		}
	}
	return fault.PermissionDenied.Errorf("you may not write to '%s'", asWritten).WithHint("%s", hint)
}

// Commit makes changes to open files as one unit.
func (w *View) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	for _, change := range changes {
		if err := w.checkGuarded(change); err != nil {
			return nil, err
		}
		if !w.mayMake(change) {
			return nil, fault.PermissionDenied.Errorf("you may not write there")
		}
	}
	results, err := w.vault.Commit(ctx, changes)
	if errors.Is(err, fault.Conflict) || errors.Is(err, fault.AlreadyExists) {
		return nil, err // concerns one of these open files
	}
	return results, w.withoutDetails(err, "it could not be written")
}

func (w *View) mayMake(change store.Change) bool {
	if !w.limited() {
		return true
	}
	return change.Op != store.WriteConfig && w.MayWrite(change.Path) && (change.To == "" || w.MayWrite(change.To))
}

// Exclusive waits until no other edit is running, as Vault.Exclusive does.
func (w *View) Exclusive(ctx context.Context) (done func(), err error) {
	return w.vault.Exclusive(ctx)
}

// MayRead reports whether the caller may know about a file, whether or not it exists.
func (w *View) MayRead(path vpath.Path) bool { return w.scope.Open(path) }

// Settings returns Obsidian's settings as far as they concern the caller.
func (w *View) Settings(ctx context.Context) Settings { return w.limit(w.vault.Settings(ctx)) }

// limit fits settings to a limited view. Links are written as paths from the
// root: a shorter form would reveal whether a closed note has the same name, and
// could resolve to it. If the folder for new notes is closed and only one folder
// is open, new notes go there.
func (w *View) limit(settings Settings) Settings {
	if !w.limited() {
		return settings
	}
	settings.Links.Format = edit.Absolute
	if folders := w.writableFolders(); len(folders) == 1 && !w.scope.Open(settings.NewNotes.Join("note.md")) {
		settings.NewNotes = folders[0]
	}
	return settings
}

// Layout returns how the vault is set up, as Vault.Layout does. Its folders may
// be closed to the caller: ask MayRead before showing one.
func (w *View) Layout(ctx context.Context) Layout {
	layout := w.vault.Layout(ctx)
	layout.Settings = w.limit(layout.Settings)
	return layout
}

// TemplateFolders returns the folders that hold templates. They may be closed to the caller.
func (w *View) TemplateFolders(ctx context.Context) []vpath.Path { return w.vault.TemplateFolders(ctx) }

// NewNoteTemplate returns the template that Templater gives to a new note, as the settings name it; "" if none. It may be
// closed to the caller.
func (w *View) NewNoteTemplate(ctx context.Context, path vpath.Path) string {
	return w.vault.newNoteTemplate(ctx, path)
}

// AttachmentFolder returns the folder for new attachments of a note. If that is
// closed and only one folder is open, attachments go there.
func (w *View) AttachmentFolder(ctx context.Context, note vpath.Path) vpath.Path {
	folder := w.vault.AttachmentFolder(ctx, note)
	if folders := w.scope.Folders(); w.limited() && len(folders) == 1 && !w.scope.Open(folder.Join("file.png")) {
		return folders[0]
	}
	return folder
}

// PropertyTypes returns the types of properties, also of those that only closed
// notes have.
func (w *View) PropertyTypes(ctx context.Context) PropertyTypes { return w.vault.PropertyTypes(ctx) }

// Bookmarks returns Obsidian's file of bookmarks, or nil.
func (w *View) Bookmarks(ctx context.Context) []byte { return w.vault.bookmarks(ctx) }

// withoutDetails logs an error and returns one of the same kind with another
// message, if the view is limited: the original text may name closed files.
func (w *View) withoutDetails(err error, message string) error {
	if err == nil || !w.limited() || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	w.vault.log.Warn("a call with limited permissions failed", "error", err.Error())
	return fault.KindOf(err).Errorf("%s", message)
}

// Tasks reads the settings of the plugin Tasks.
func (w *View) Tasks(ctx context.Context) Tasks { return w.vault.Tasks(ctx) }
