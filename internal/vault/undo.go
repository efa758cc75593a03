package vault

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vault/call"
	"obsidian-mcp/internal/vault/history"
)

// Undo plans how to undo recorded changes, byte for byte and as one unit. Add the
// changes newest first, so that a note that several of them touched gets back the
// state before the oldest; then Finish.
type Undo struct {
	Files     []vpath.Path   // open files that it restores
	Removed   []vpath.Path   // open files that it removes
	Conflicts []UndoConflict // what prevents it

	view    *View
	force   bool
	state   *undoState
	past    PastChange      // the change that is being added
	judged  map[string]bool // changes with a conflict that the caller found
	changes []store.Change
	made    map[vpath.Path]bool // folders that a renamed folder may have made
}

// UndoConflict is a reason why a change cannot be undone.
type UndoConflict struct {
	Change string
	Path   vpath.Path
	Reason string // what happened to the file after the change, as in "was renamed"
	Err    error  // the refusal that it alone leads to; nil: the usual one

	Changed bool // the file's content is not what the change left
}

// canBeForced reports whether force=true overcomes the conflict.
func (c UndoConflict) canBeForced() bool { return c.Err == nil || errors.Is(c.Err, ErrChangedSince) }

// Explain says what prevents the undo.
func (c UndoConflict) Explain() string {
	if !c.canBeForced() {
		return c.Reason
	}
	return "after the change it " + c.Reason
}

// ErrChangedSince is wrapped by the Conflict of undoing a change whose files have
// changed since. Trying again does not help.
var ErrChangedSince = errors.New("changed since")

// NewUndo starts a plan for undoing changes. A file that is not as a change left it
// is a conflict, unless force is set. Closed files that have changed since stay as
// they are, force or not.
func (w *View) NewUndo(ctx context.Context, changes []PastChange, force bool) *Undo {
	var paths []vpath.Path
	for _, past := range changes {
		for _, file := range past.Files {
			call.Of(ctx).NoteRead(file.Path)
		}
		paths = append(paths, past.paths()...)
	}
	return &Undo{view: w, force: force, state: newUndoState(ctx, w, paths), judged: map[string]bool{}, made: map[vpath.Path]bool{}}
}

// paths lists the files of a change, under their old and new paths.
func (p PastChange) paths() []vpath.Path {
	var paths []vpath.Path
	for _, file := range slices.Concat(p.Files, p.closed) {
		if file.Op != history.Config {
			paths = append(paths, vpath.Path(file.Path))
		}
		if file.To != "" {
			paths = append(paths, vpath.Path(file.To))
		}
	}
	return paths
}

// Add plans to undo a change. What prevents that becomes a conflict, and the plan
// goes on as if it had been forced, so that the conflicts of older changes do not
// depend on it.
func (u *Undo) Add(ctx context.Context, past PastChange) error {
	u.past = past
	u.noteFolders(past)
	for _, file := range slices.Backward(past.Files) {
		err := u.addOpen(ctx, file)
		if errors.Is(err, fault.Conflict) || errors.Is(err, fault.PermissionDenied) {
			u.conflict(UndoConflict{Path: vpath.Path(file.Path), Reason: err.Error(), Err: err})
		} else if err != nil {
			return err
		}
	}
	for _, file := range slices.Backward(past.closed) {
		if u.view.guardsPast(past, file, call.CallerOf(ctx)) {
			continue
		}
		if err := u.add(ctx, file, leaves); err != nil { // an error would reveal the closed file
			u.view.vault.log.Warn("an undo leaves a closed file as it is", "error", err.Error())
		}
	}
	return nil
}

// addOpen plans to undo what the change did to an open file. Of prompts that the caller may not write, it restores only
// links, and only if nothing else has happened to them.
func (u *Undo) addOpen(ctx context.Context, file history.File) error {
	guarded := vpath.Path(file.Path)
	if !u.view.guards(guarded) {
		guarded = vpath.Path(file.To)
	}
	switch {
	case u.view.guardsPast(u.past, file, call.CallerOf(ctx)):
		return u.view.CheckUnguarded(guarded)
	case u.view.guards(guarded):
		return u.add(ctx, file, leaves)
	}
	return u.add(ctx, file, u.replaces)
}

// AddConflict adds a conflict that the caller found, unless the undo is forced. What else happened to the files of that
// change since does not matter any more.
func (u *Undo) AddConflict(found UndoConflict) {
	if !u.force {
		u.Conflicts = append(u.Conflicts, found)
		u.judged[found.Change] = true
	}
}

func (u *Undo) conflict(found UndoConflict) {
	found.Change = u.past.ID
	u.Conflicts = append(u.Conflicts, found)
}

// Planned reports whether a file will exist, as far as the plan says anything about it.
func (u *Undo) Planned(path vpath.Path) (exists, planned bool) {
	file, planned := u.state.files[path]
	return planned && file.exists(), planned
}

// Finish completes the plan. Only then are Files and Removed known.
func (u *Undo) Finish(ctx context.Context) error {
	u.Files, u.Removed, u.changes = nil, nil, nil
	return u.emit(ctx)
}

// Len is how many files the plan changes.
func (u *Undo) Len() int { return len(u.changes) }

// Commit carries out the plan as one unit.
func (u *Undo) Commit(ctx context.Context) error {
	if len(u.changes) == 0 {
		return nil
	}
	_, err := (&Relinking{view: u.view}).Commit(ctx, append(u.changes, u.leftFolders()...))
	return err
}

// noteFolders remembers the folders to which a renamed folder went: undone, they are removed if they are empty. A folder
// was renamed if it is not there any more; a note that moved alone leaves its folder behind.
func (u *Undo) noteFolders(past PastChange) {
	now := u.view.vault.Readable()
	for _, file := range past.Files {
		from := vpath.Path(file.Path).Dir()
		if file.Op != history.Move || from == "" || now == nil {
			continue
		}
		if there, _ := now.Folder(from); there == from {
			continue
		}
		for folder := vpath.Path(file.To).Dir(); folder != ""; folder = folder.Dir() {
			u.made[folder] = true
		}
	}
}

// leftFolders are the changes that remove those folders, the deepest first.
func (u *Undo) leftFolders() []store.Change {
	var changes []store.Change
	folders := slices.Sorted(maps.Keys(u.made))
	for _, folder := range slices.Backward(folders) {
		changes = append(changes, store.Change{Op: store.RemoveFolder, Path: folder})
	}
	return changes
}

// PlanRestore plans how to restore a file to its state before a change, whatever
// happened to it since. If the file is now at the path at, it is restored there.
// If expected is not empty, the file must have that hash.
func (w *View) PlanRestore(
	ctx context.Context, past PastChange, file history.File, at vpath.Path, expected string,
) (*Undo, error) {
	u := &Undo{view: w, force: true, past: past, state: newUndoState(ctx, w, nil)}
	now, err := u.state.now(ctx, at)
	if err == nil && !now.exists {
		at = vpath.Path(file.Path)
		now, err = u.state.now(ctx, at)
	}
	if err == nil {
		err = w.CheckUnguarded(at)
	}
	switch {
	case err != nil:
		return nil, err
	case now.exists:
		err = Expect(at, now.Data, expected)
	default:
		err = ExpectAbsent(at, expected)
	}
	if err == nil {
		err = u.restore(ctx, at, file, file.Before, u.replaces)
	}
	if err == nil {
		err = u.Finish(ctx)
	}
	if err == nil {
		err = u.Refusal()
	}
	return u, err
}

// shownFiles is how many changed files an error names.
const shownFiles = 5

// Refusal returns the error for what prevents the undo, if anything does.
func (u *Undo) Refusal() error {
	if len(u.Conflicts) == 0 {
		return nil
	}
	var named []string
	for _, found := range u.Conflicts {
		if found.Err != nil && (len(u.Conflicts) == 1 || !found.canBeForced()) {
			return found.Err
		}
		named = append(named, fmt.Sprintf("'%s' %s", found.Path.WithoutExt(), found.Reason))
	}
	text := strings.Join(named[:min(len(named), shownFiles)], "; ")
	if more := len(named) - shownFiles; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return fault.Conflict.Errorf("%s %w: after the change %s", subject(len(named)), ErrChangedSince, text).
		WithHint("force=true restores the state before the change anyway; that can be undone in turn")
}

func subject(files int) string {
	if files == 1 {
		return "a note has"
	}
	return fmt.Sprintf("%d notes have", files)
}
