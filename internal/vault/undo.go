package vault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vault/history"
)

// Undo is a plan for undoing a recorded change.
type Undo struct {
	Files   []vpath.Path // open files that it restores
	Removed []vpath.Path // open files that it removes
	view    *View
	changes []store.Change
}

// ErrChangedSince is wrapped by the Conflict of undoing a change whose files have
// changed since. Trying again does not help.
var ErrChangedSince = errors.New("changed since")

// PlanUndo plans how to undo a change, byte for byte. A file that is not as the
// change left it is a Conflict that names both states, unless force is set. Closed
// files that have changed since stay as they are, force or not.
func (w *View) PlanUndo(ctx context.Context, past PastChange, force bool) (*Undo, error) {
	plan := undoPlanner{view: w, past: past, force: force, undo: &Undo{view: w}}
	plan.readAll(ctx)
	for _, file := range slices.Backward(past.Files) {
		if err := plan.add(ctx, file); err != nil {
			return nil, err
		}
		plan.undo.Files = append(plan.undo.Files, plan.restored...)
		plan.undo.Removed = append(plan.undo.Removed, plan.removed...)
		plan.restored, plan.removed = nil, nil
	}
	if err := plan.refusal(); err != nil {
		return nil, err
	}
	plan.force = false
	for _, file := range past.closed {
		if err := plan.add(ctx, file); err != nil { // an error would reveal the closed file
			w.vault.log.Warn("an undo leaves a closed file as it is", "error", err.Error())
		}
	}
	return plan.undo, nil
}

// PlanRestore plans how to restore a file to its state before a change, whatever
// happened to it since. If the file is now at the path at, it is restored there.
// If expected is not empty, the file must have that hash.
func (w *View) PlanRestore(
	ctx context.Context, past PastChange, file history.File, at vpath.Path, expected string,
) (*Undo, error) {
	plan := undoPlanner{view: w, past: past, force: true, undo: &Undo{view: w}}
	now, err := plan.current(ctx, at)
	if err == nil && !now.exists {
		at = vpath.Path(file.Path)
		now, err = plan.current(ctx, at)
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
		err = plan.restore(ctx, at, file.Before, file.Before)
	}
	plan.undo.Files = plan.restored
	return plan.undo, err
}

// Len is how many files the plan changes.
func (u *Undo) Len() int { return len(u.changes) }

// Commit carries out the plan as one unit.
func (u *Undo) Commit(ctx context.Context) error {
	if len(u.changes) == 0 {
		return nil
	}
	_, err := (&Relinking{view: u.view}).Commit(ctx, u.changes)
	return err
}

// undoPlanner makes an Undo.
type undoPlanner struct {
	view     *View
	past     PastChange
	force    bool
	undo     *Undo
	read     map[vpath.Path]store.Outcome // files that were read ahead
	restored []vpath.Path                 // files that the last call of add restores
	removed  []vpath.Path                 // files that the last call of add removes
	changed  []string                     // for each file that changed since, how
}

// currentFile is the state of a file now.
type currentFile struct {
	store.File
	exists bool
}

// is reports whether the file has the content that it had at some time.
func (c currentFile) is(then history.Content) bool {
	return c.exists == then.Exists() && (!c.exists || store.Hash(c.Data) == then.Hash)
}

// add plans to undo what the change did to a file.
func (p *undoPlanner) add(ctx context.Context, file history.File) error {
	path, to := vpath.Path(file.Path), vpath.Path(file.To)
	switch {
	case file.Op == history.Config:
		return p.restoreConfig(ctx, file)
	case file.Op == history.Move:
		return p.moveBack(ctx, path, to, file)
	case !file.Before.Exists():
		return p.remove(ctx, path, file.After)
	case file.Op == history.Trash && !file.Before.Kept:
		return p.checkRestored(ctx, path, file)
	}
	return p.restore(ctx, path, file.After, file.Before)
}

// restore plans to give a file the content that it had before the change.
func (p *undoPlanner) restore(ctx context.Context, path vpath.Path, left, before history.Content) error {
	now, err := p.current(ctx, path)
	if err != nil || now.is(before) {
		return err
	}
	if !now.is(left) && !p.mayReplace(path, now, left) {
		return nil
	}
	data, err := p.view.Content(ctx, p.past, before)
	if err == nil && !now.exists {
		err = p.checkFree(path, "")
	}
	if err != nil {
		return err
	}
	p.plan(store.Change{Path: path, Base: now.Rev, Was: now.Data, Data: data}, path)
	return nil
}

// checkRestored checks that a trashed file, which was too large for the history,
// has been restored by other means.
func (p *undoPlanner) checkRestored(ctx context.Context, path vpath.Path, file history.File) error {
	now, err := p.current(ctx, path)
	if err != nil || now.is(file.Before) {
		return err
	}
	return fault.NotFound.Errorf("'%s' is too large for the history and cannot be restored from it", path).
		WithHint("restore it from the vault's trash: %s", file.Trash)
}

// remove plans to trash a file that did not exist before the change.
func (p *undoPlanner) remove(ctx context.Context, path vpath.Path, left history.Content) error {
	now, err := p.current(ctx, path)
	if err != nil || !now.exists {
		return err
	}
	if now.is(left) || p.mayReplace(path, now, left) {
		p.plan(store.Change{Op: store.Trash, Path: path, Base: now.Rev, Was: now.Data})
		p.removed = append(p.removed, path)
	}
	return nil
}

// moveBack plans to move a file back to its old path and to restore its content.
func (p *undoPlanner) moveBack(ctx context.Context, path, to vpath.Path, file history.File) error {
	moved, err := p.current(ctx, to)
	if err != nil {
		return err
	}
	original := currentFile{}
	if path.Key() != to.Key() || !moved.exists { // else it may be the same file
		if original, err = p.current(ctx, path); err != nil {
			return err
		}
	}
	switch {
	case !moved.exists && original.is(file.Before):
		return nil
	case !moved.is(file.After) && !p.mayReplace(to, moved, file.After),
		original.exists && !p.mayReplace(path, original, history.Content{}):
		return nil
	case moved.exists && original.exists:
		p.plan(store.Change{Op: store.Trash, Path: to, Base: moved.Rev, Was: moved.Data})
		return p.restore(ctx, path, file.After, file.Before)
	case !moved.exists:
		return p.restore(ctx, path, file.After, file.Before)
	}
	if err := p.checkFree(path, to); err != nil {
		return err
	}
	change := store.Change{Op: store.Move, Path: to, To: path, Base: moved.Rev, Was: moved.Data}
	if !moved.is(file.Before) {
		if change.Data, err = p.view.Content(ctx, p.past, file.Before); err != nil {
			return err
		}
	}
	p.plan(change, path)
	return nil
}

// restoreConfig plans to restore a file of Obsidian's settings, unless Obsidian has
// changed it since.
func (p *undoPlanner) restoreConfig(ctx context.Context, file history.File) error {
	now, err := p.view.vault.store.Config(ctx, file.Path)
	if err != nil || !file.Before.Exists() || store.Hash(now.Data) != file.After.Hash {
		return nil
	}
	data, err := p.view.Content(ctx, p.past, file.Before)
	if err == nil {
		p.plan(store.Change{Op: store.WriteConfig, Config: file.Path, Base: now.Rev, Was: now.Data, Data: data})
	}
	return err
}

// checkFree checks that no file has another spelling of the path of a restored
// file: devices that take both for the same would lose one of them.
func (p *undoPlanner) checkFree(path vpath.Path, except vpath.Path) error {
	now := p.view.vault.Ready()
	if now == nil {
		return nil
	}
	if found, taken := now.Paths.Find(path); taken && found != path && found != except {
		return fault.AlreadyExists.Errorf("'%s' exists now, and some systems take it for '%s'", found, path).
			WithHint("rename it and try again")
	}
	return nil
}

// plan adds a change, which restores files.
func (p *undoPlanner) plan(change store.Change, restored ...vpath.Path) {
	if change.Data == nil && change.Op == store.Write {
		change.Data = []byte{}
	}
	p.undo.changes = append(p.undo.changes, change)
	p.restored = append(p.restored, restored...)
}

// readAll reads all files of the change in as few requests as the store can.
func (p *undoPlanner) readAll(ctx context.Context) {
	var paths []vpath.Path
	for _, file := range slices.Concat(p.past.Files, p.past.closed) {
		if file.Op != history.Config {
			paths = append(paths, vpath.Path(file.Path))
		}
		if file.To != "" {
			paths = append(paths, vpath.Path(file.To))
		}
	}
	p.read = map[vpath.Path]store.Outcome{}
	for i, outcome := range p.view.vault.store.ReadMany(ctx, paths, MaxFile) {
		p.read[paths[i]] = outcome
	}
}

// current returns the state of a file now.
func (p *undoPlanner) current(ctx context.Context, path vpath.Path) (currentFile, error) {
	if path == "" {
		return currentFile{}, nil
	}
	outcome, wasRead := p.read[path]
	if !wasRead {
		outcome.File, outcome.Err = p.view.vault.Read(ctx, path, MaxFile)
	}
	file, err := outcome.File, outcome.Err
	if errors.Is(err, fault.NotFound) {
		return currentFile{}, nil
	}
	if err == nil {
		err = CheckResolved(file.Info)
	}
	return currentFile{file, err == nil}, err
}

// mayReplace reports whether a file may be replaced although it is not as the
// change left it. If not, it notes how the file has changed.
func (p *undoPlanner) mayReplace(path vpath.Path, now currentFile, left history.Content) bool {
	if p.force {
		return true
	}
	p.changed = append(p.changed, fmt.Sprintf("'%s' %s, and now it %s",
		path.WithoutExt(), describeThen(left.Hash), describeNow(now.hash())))
	return false
}

func (c currentFile) hash() string {
	if !c.exists {
		return ""
	}
	return store.Hash(c.Data)
}

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

// shownFiles is how many changed files an error names.
const shownFiles = 5

// refusal returns the error for files that have changed since, if any.
func (p *undoPlanner) refusal() error {
	if len(p.changed) == 0 {
		return nil
	}
	named := strings.Join(p.changed[:min(len(p.changed), shownFiles)], "; ")
	if more := len(p.changed) - shownFiles; more > 0 {
		named += fmt.Sprintf("; and %d more", more)
	}
	return fault.Conflict.Errorf("%s %w: after the change %s", subject(len(p.changed)), ErrChangedSince, named).
		WithHint("force=true restores the state before the change anyway; that can be undone in turn")
}

func subject(files int) string {
	if files == 1 {
		return "a note has"
	}
	return fmt.Sprintf("%d notes have", files)
}
