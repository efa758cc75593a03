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

// Undo is how a change of the past would be taken back, now.
type Undo struct {
	Files   []vpath.Path // the open ones that it brings back
	Removed []vpath.Path // the open ones that it takes away
	view    *View
	changes []store.Change
}

// ErrSince is in the chain of the Conflict of taking back what changed since:
// to try again does not help.
var ErrSince = errors.New("changed since")

// PlanUndo finds out how to take a change back, byte for byte. A file that is
// not as the change left it is a Conflict that names both states; force has
// it put back nevertheless. In closed notes such files stay as they are.
func (w *View) PlanUndo(ctx context.Context, past Past, force bool) (*Undo, error) {
	plan := undoing{view: w, past: past, force: force, undo: &Undo{view: w}}
	plan.lookAhead(ctx)
	for _, file := range slices.Backward(past.Files) {
		if err := plan.add(ctx, file); err != nil {
			return nil, err
		}
		plan.undo.Files = append(plan.undo.Files, plan.back...)
		plan.undo.Removed = append(plan.undo.Removed, plan.away...)
		plan.back, plan.away = nil, nil
	}
	if err := plan.refusal(); err != nil {
		return nil, err
	}
	plan.force = false
	for _, file := range past.closed {
		if err := plan.add(ctx, file); err != nil { // to refuse would tell of it, time and again
			w.vault.log.Warn("a closed file stays as it is while a change is taken back", "error", err.Error())
		}
	}
	return plan.undo, nil
}

// PlanRestore finds out how to make one file what it was before a change,
// whatever became of it since. If it is at a path by now, it stays there. Where
// expected is not empty, it must have that hash.
func (w *View) PlanRestore(ctx context.Context, past Past, file history.File, at vpath.Path, expected string) (*Undo, error) {
	plan := undoing{view: w, past: past, force: true, undo: &Undo{view: w}}
	now, err := plan.look(ctx, at)
	if err == nil && !now.exists {
		at = vpath.Path(file.Path)
		now, err = plan.look(ctx, at)
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
		err = plan.putBack(ctx, at, file.Before, file.Before)
	}
	plan.undo.Files = plan.back
	return plan.undo, err
}

// Len is how many files it changes.
func (u *Undo) Len() int { return len(u.changes) }

// Commit takes the change back, as one unit.
func (u *Undo) Commit(ctx context.Context) error {
	if len(u.changes) == 0 {
		return nil
	}
	_, err := (&Relinking{view: u.view}).Commit(ctx, u.changes)
	return err
}

// undoing makes a plan.
type undoing struct {
	view  *View
	past  Past
	force bool
	undo  *Undo
	seen  map[vpath.Path]store.Outcome // files that were read in one go
	back  []vpath.Path                 // what the file that was added last brings back
	away  []vpath.Path                 // what it takes away
	since []string                     // why files cannot be put back
}

// current is a file as it is now.
type current struct {
	store.File
	exists bool
}

// is reports whether the file is what it was at some time.
func (c current) is(then history.Content) bool {
	return c.exists == then.Exists() && (!c.exists || store.Hash(c.Data) == then.Hash)
}

// add plans to take back what became of one file.
func (p *undoing) add(ctx context.Context, file history.File) error {
	path, to := vpath.Path(file.Path), vpath.Path(file.To)
	switch {
	case file.Op == history.Config:
		return p.putBackConfig(ctx, file)
	case file.Op == history.Move:
		return p.moveBack(ctx, path, to, file)
	case !file.Before.Exists():
		return p.takeAway(ctx, path, file.After)
	case file.Op == history.Trash && !file.Before.Kept:
		return p.isBack(ctx, path, file)
	}
	return p.putBack(ctx, path, file.After, file.Before)
}

// putBack plans to give a file the bytes that it had before.
func (p *undoing) putBack(ctx context.Context, path vpath.Path, left, before history.Content) error {
	now, err := p.look(ctx, path)
	if err != nil || now.is(before) {
		return err
	}
	if !now.is(left) && !p.agrees(path, now, left) {
		return nil
	}
	data, err := p.view.Content(ctx, p.past, before)
	if err == nil && !now.exists {
		err = p.free(path, "")
	}
	if err != nil {
		return err
	}
	p.plan(store.Change{Path: path, Base: now.Rev, Was: now.Data, Data: data}, path)
	return nil
}

// isBack checks that somebody has put back a file that was too large for the
// history when it was trashed.
func (p *undoing) isBack(ctx context.Context, path vpath.Path, file history.File) error {
	now, err := p.look(ctx, path)
	if err != nil || now.is(file.Before) {
		return err
	}
	return fault.NotFound.Errorf("'%s' is too large to be kept in the history", path).WithHint("it is in the vault's trash: %s", file.Trash)
}

// takeAway plans to put a file to the trash that was not there before.
func (p *undoing) takeAway(ctx context.Context, path vpath.Path, left history.Content) error {
	now, err := p.look(ctx, path)
	if err != nil || !now.exists {
		return err
	}
	if now.is(left) || p.agrees(path, now, left) {
		p.plan(store.Change{Op: store.Trash, Path: path, Base: now.Rev, Was: now.Data})
		p.away = append(p.away, path)
	}
	return nil
}

// moveBack plans to give a file back its name, and the bytes that it had.
func (p *undoing) moveBack(ctx context.Context, path, to vpath.Path, file history.File) error {
	there, err := p.look(ctx, to)
	if err != nil {
		return err
	}
	here := current{}
	if path.Key() != to.Key() || !there.exists { // else it may be the same file
		if here, err = p.look(ctx, path); err != nil {
			return err
		}
	}
	switch {
	case !there.exists && here.is(file.Before):
		return nil
	case !there.is(file.After) && !p.agrees(to, there, file.After), here.exists && !p.agrees(path, here, history.Content{}):
		return nil
	case there.exists && here.exists:
		p.plan(store.Change{Op: store.Trash, Path: to, Base: there.Rev, Was: there.Data})
		return p.putBack(ctx, path, file.After, file.Before)
	case !there.exists:
		return p.putBack(ctx, path, file.After, file.Before)
	}
	if err := p.free(path, to); err != nil {
		return err
	}
	change := store.Change{Op: store.Move, Path: to, To: path, Base: there.Rev, Was: there.Data}
	if !there.is(file.Before) {
		if change.Data, err = p.view.Content(ctx, p.past, file.Before); err != nil {
			return err
		}
	}
	p.plan(change, path)
	return nil
}

// putBackConfig plans to put back a file of Obsidian's settings. If it has
// changed since, it is Obsidian's.
func (p *undoing) putBackConfig(ctx context.Context, file history.File) error {
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

// free checks that nothing of another spelling is where a file comes back:
// devices that take both for the same would lose one of them.
func (p *undoing) free(path vpath.Path, but vpath.Path) error {
	now := p.view.vault.Ready()
	if now == nil {
		return nil
	}
	if there, taken := now.Paths.Find(path); taken && there != path && there != but {
		return fault.AlreadyExists.Errorf("'%s' is there now, which some systems take for '%s'", there, path).WithHint("rename it, and try again")
	}
	return nil
}

func (p *undoing) plan(change store.Change, files ...vpath.Path) {
	if change.Data == nil && change.Op == store.Write {
		change.Data = []byte{}
	}
	p.undo.changes = append(p.undo.changes, change)
	p.back = append(p.back, files...)
}

// lookAhead reads all files of the change in as few steps as the store can.
func (p *undoing) lookAhead(ctx context.Context) {
	var paths []vpath.Path
	for _, file := range slices.Concat(p.past.Files, p.past.closed) {
		if file.Op != history.Config {
			paths = append(paths, vpath.Path(file.Path))
		}
		if file.To != "" {
			paths = append(paths, vpath.Path(file.To))
		}
	}
	p.seen = map[vpath.Path]store.Outcome{}
	for i, read := range p.view.vault.store.ReadMany(ctx, paths, MaxFile) {
		p.seen[paths[i]] = read
	}
}

// look reads a file as it is now.
func (p *undoing) look(ctx context.Context, path vpath.Path) (current, error) {
	if path == "" {
		return current{}, nil
	}
	read, known := p.seen[path]
	if !known {
		read.File, read.Err = p.view.vault.Read(ctx, path, MaxFile)
	}
	file, err := read.File, read.Err
	if errors.Is(err, fault.NotFound) {
		return current{}, nil
	}
	if err == nil {
		err = CheckResolved(file.Info)
	}
	return current{file, err == nil}, err
}

// agrees reports whether a file may be put back though it is not as the change
// left it. If not, why is noted.
func (p *undoing) agrees(path vpath.Path, now current, left history.Content) bool {
	if p.force {
		return true
	}
	p.since = append(p.since, fmt.Sprintf("'%s' %s, and now it %s", path.WithoutExt(), then(left.Hash), currently(now.hash())))
	return false
}

func (c current) hash() string {
	if !c.exists {
		return ""
	}
	return store.Hash(c.Data)
}

func then(hash string) string {
	if hash == "" {
		return "was absent"
	}
	return "had the hash " + hash
}

func currently(hash string) string {
	if hash == "" {
		return "is absent"
	}
	return "has " + hash
}

// shownSince is how many files an error names.
const shownSince = 5

// refusal is the error for files that changed since.
func (p *undoing) refusal() error {
	if len(p.since) == 0 {
		return nil
	}
	named := strings.Join(p.since[:min(len(p.since), shownSince)], "; ")
	if more := len(p.since) - shownSince; more > 0 {
		named += fmt.Sprintf("; and %d more", more)
	}
	return fault.Conflict.Errorf("%s %w: after the change %s", subject(len(p.since)), ErrSince, named).
		WithHint("force=true puts back what was before the change; what is there now can then be restored in turn")
}

func subject(files int) string {
	if files == 1 {
		return "a note has"
	}
	return fmt.Sprintf("%d notes have", files)
}
