package folder

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vpath"
)

// Commit implements store.Store. Everything is checked first; several changes
// then go into the journal; every new file is written and synced under a
// temporary name; renames come last and close together.
func (f *Folder) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	f.commit.Lock()
	defer f.commit.Unlock()
	if err := f.alive(); err != nil {
		return nil, err
	}
	unlock, err := f.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := f.finishPending(); err != nil {
		return nil, err
	}
	u := f.newUnit()
	defer u.close()
	for _, change := range changes {
		if err = ctx.Err(); err == nil {
			err = u.plan(change)
		}
		if err != nil {
			u.removeMade()
			return nil, err
		}
	}
	f.publishing.Lock()
	defer f.publishing.Unlock()
	return u.run()
}

// lockPatience is how long a commit waits for another process' commit.
const lockPatience = 20 * time.Second

// lock keeps other processes from changing the same vault.
func (f *Folder) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(f.state, 0o700); err != nil {
		return nil, stateProblem(err)
	}
	file, err := os.OpenFile(filepath.Join(f.state, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, stateProblem(err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	for {
		held, err := tryLock(file)
		if held {
			return func() { file.Close() }, nil
		}
		if err != nil {
			file.Close()
			return nil, fault.StoreUnavailable.Errorf("the vault cannot be locked: %w", err)
		}
		select {
		case <-ctx.Done():
			file.Close()
			return nil, fault.StoreUnavailable.Errorf("another process is changing the vault, and has not finished").
				WithHint("try again; end other obsidian-mcp processes that hang")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func stateProblem(err error) error {
	return fault.StoreUnavailable.Errorf("the state folder cannot be used: %w", stripPath(err)).
		WithHint("set OBSIDIAN_MCP_STATE_DIR to a folder that can be written")
}

// unit is one commit.
type unit struct {
	*Folder
	steps   []*step
	folders map[string]*os.Root // those opened so far
	made    []string            // folders that did not exist before
}

func (f *Folder) newUnit() *unit { return &unit{Folder: f, folders: map[string]*os.Root{}} }

// step is one change, checked and with its places.
type step struct {
	store.Change
	old     []byte      // the file as it was read
	info    fs.FileInfo // of the file as it was read; nil if there was none
	from    place
	to      place // of a move and of what is trashed
	staged  *staged
	touched bool // something of it may be visible
}

// place is a file name in an open folder.
type place struct {
	in   *os.Root
	dir  string // the folder's path from the vault's root
	name string
}

func (p place) path() string {
	if p.dir == "" {
		return p.name
	}
	return p.dir + "/" + p.name
}

func (u *unit) close() {
	for _, folder := range u.folders {
		folder.Close()
	}
}

// at opens the folder of a place. Missing folders are made on request.
func (u *unit) at(path string, make bool) (place, error) {
	dir, name := splitPath(path)
	if in, ok := u.folders[dir]; ok {
		return place{in, dir, name}, nil
	}
	var in *os.Root
	var err error
	if make {
		in, err = u.enterOrMake(u.root, dir, func(made string) { u.made = append(u.made, made) })
	} else {
		in, err = u.enter(vpath.Path(dir))
	}
	if err != nil {
		return place{}, err
	}
	u.folders[dir] = in
	return place{in, dir, name}, nil
}

// removeMade removes folders that were made for nothing.
func (u *unit) removeMade() {
	for _, dir := range slices.Backward(u.made) {
		_ = u.root.Remove(dir) // fails if something is in it by now
	}
}

// plan checks one change against what is there.
func (u *unit) plan(change store.Change) error {
	s := &step{Change: change}
	path := string(change.Path)
	if change.Op == store.WriteConfig {
		path = configFolder + "/" + change.Config
	}
	from, err := u.at(path, change.Base == store.Absent)
	if err != nil {
		return changedOr(change, err)
	}
	s.from = from
	if err := u.check(s, path); err != nil {
		return err
	}
	switch change.Op {
	case store.Move:
		err = u.planMove(s)
	case store.Trash:
		if s.to, err = u.trashPlace(change.Path); err == nil {
			s.to, err = u.at(s.to.path(), true)
		}
	}
	if err != nil {
		return err
	}
	u.steps = append(u.steps, s)
	return nil
}

// changedOr takes the disappearance of a file that was read for a conflict.
func changedOr(change store.Change, err error) error {
	if change.Base != store.Absent && errors.Is(err, fault.NotFound) {
		return conflict(string(change.Path))
	}
	return err
}

func conflict(path string) error {
	return fault.Conflict.Errorf("%q has changed since it was read", path).WithHint("read it again")
}

// check compares a file with the revision that its change was made for.
func (u *unit) check(s *step, path string) error {
	if s.Base == store.Absent {
		return u.checkAbsent(s, path)
	}
	data, info, err := u.load(s.from.in, vpath.Path(path), s.from.name, maxWhole, nil)
	if err != nil {
		return changedOr(s.Change, err)
	}
	if revOf(data) != s.Base {
		return conflict(path)
	}
	s.old, s.info = data, info
	return nil
}

// maxWhole is the largest file that is read to be changed, moved or trashed.
const maxWhole = 1 << 30

func (u *unit) checkAbsent(s *step, path string) error {
	info, err := s.from.in.Lstat(s.from.name)
	if err == nil {
		if err := u.plain(vpath.Path(path), info); err != nil {
			return err
		}
		return fault.AlreadyExists.Errorf("%q exists already", path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return u.explain(vpath.Path(path), err)
	}
	if _, err := s.from.in.Lstat("." + s.from.name + ".icloud"); err == nil {
		return fault.StoreUnavailable.Errorf("%q exists in iCloud, but has not been downloaded to this machine", path).
			WithHint("open it in Finder or Obsidian first")
	}
	return nil
}

func (u *unit) planMove(s *step) error {
	to, err := u.at(string(s.To), true)
	if err != nil {
		return err
	}
	s.to = to
	there, err := to.in.Lstat(to.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return u.explain(s.To, err)
	}
	if os.SameFile(s.info, there) && s.Path.Key() == s.To.Key() {
		return nil // another spelling, on a disk that does not tell them apart
	}
	return fault.AlreadyExists.Errorf("%q exists already", string(s.To))
}

// trashPlace finds a free name in the vault's trash. No folder is made for it.
func (u *unit) trashPlace(path vpath.Path) (place, error) {
	dir, name := splitPath(trashFolder + "/" + string(path))
	at := place{dir: dir, name: name}
	ext := name[len(name)-len(path.Ext()):]
	stem := strings.TrimSuffix(name, ext)
	for n := 2; ; n++ {
		_, err := u.root.Lstat(at.path())
		switch {
		case errors.Is(err, fs.ErrNotExist) && !u.planned(at):
			return at, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return place{}, u.explain(path, err)
		}
		suffix := " " + strconv.Itoa(n) + ext
		at.name = cut(stem, vpath.MaxComponent-len(suffix)) + suffix
	}
}

// trashFolder is where Obsidian puts what is deleted.
const trashFolder = ".trash"

// TrashPath implements store.Store.
func (f *Folder) TrashPath(_ context.Context, path vpath.Path) (string, error) {
	at, err := f.newUnit().trashPlace(path)
	return at.path(), err
}

// cut shortens a text to at most so many bytes, at a rune's boundary.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

func splitPath(path string) (dir, name string) {
	if slash := strings.LastIndexByte(path, '/'); slash >= 0 {
		return path[:slash], path[slash+1:]
	}
	return "", path
}

func (u *unit) planned(at place) bool {
	return slices.ContainsFunc(u.steps, func(s *step) bool { return s.Op == store.Trash && s.to.path() == at.path() })
}

// run makes the changes.
func (u *unit) run() ([]store.Result, error) {
	journal, err := u.record()
	if err != nil {
		u.removeMade()
		return nil, err
	}
	if err := u.stageAll(); err != nil {
		journal.remove()
		u.removeMade()
		return nil, err
	}
	for _, s := range u.steps {
		if err := u.make(s); err != nil {
			return nil, u.takeBack(journal, u.failure(s, err))
		}
	}
	if err := u.syncAll(); err != nil {
		return nil, fault.StoreUnavailable.Errorf("the changes were made, but may not survive a power cut: %w", stripPath(err))
	}
	journal.remove()
	return u.results(), nil
}

// stageAll writes all new files. Syncing many at a time lets the disk do
// several with one turn.
func (u *unit) stageAll() error {
	var group errgroup.Group
	group.SetLimit(16)
	for _, s := range u.steps {
		if s.Op == store.Trash || s.Op == opRemove || s.Op == store.Move && s.Data == nil {
			continue
		}
		group.Go(func() (err error) {
			at, like := s.from, ""
			if s.Op == store.Move {
				at = s.to
			}
			if s.info != nil {
				like = s.from.name
			}
			if s.staged, err = u.stage(at.in, at.name, s.Data, s.from.in, like); err != nil {
				return u.explain(vpath.Path(at.path()), err)
			}
			return nil
		})
	}
	err := group.Wait()
	if err != nil {
		u.discardAll()
	}
	return err
}

// discardAll removes what is staged; a file that was published has that name
// no more.
func (u *unit) discardAll() {
	for _, s := range u.steps {
		if s.staged != nil {
			s.staged.discard()
		}
	}
}

// make makes one change visible.
func (u *unit) make(s *step) error {
	switch s.Op {
	case store.Write, store.WriteConfig:
		if s.info == nil {
			return u.publishNew(s)
		}
		if err := u.unchanged(s.from, s.info); err != nil {
			return err
		}
		return u.visibly(s, func() error { return s.from.in.Rename(s.staged.temporary, s.from.name) })
	case store.Trash:
		if err := u.unchanged(s.from, s.info); err != nil {
			return err
		}
		return u.visibly(s, func() error { return u.root.Rename(s.from.path(), s.to.path()) })
	case opRemove:
		if err := u.unchanged(s.from, s.info); err != nil {
			return err
		}
		return u.visibly(s, func() error { return s.from.in.Remove(s.from.name) })
	}
	return u.move(s)
}

// opRemove takes a file away for good: one of our own that a failed commit had
// made.
const opRemove store.Op = 100

// visibly makes a call that changes what others see.
func (u *unit) visibly(s *step, call func() error) error {
	if err := u.fault("rename", s.from.name); err != nil {
		return err
	}
	err := call()
	if err == nil {
		s.touched = true
	}
	return err
}

// publishNew gives a staged file a name that is free: by a hard link, which
// fails where the name is taken; where the file system has none, it looks
// first.
func (u *unit) publishNew(s *step) error {
	at := s.staged
	err := u.visibly(s, func() error { return at.in.Link(at.temporary, at.name) })
	switch {
	case err == nil:
		return at.in.Remove(at.temporary)
	case errors.Is(err, fs.ErrExist):
		return err
	case isFault(err):
		return err
	}
	if _, err := at.in.Lstat(at.name); err == nil {
		return fs.ErrExist
	}
	return u.visibly(s, func() error { return at.in.Rename(at.temporary, at.name) })
}

// move gives a file its new place without ever replacing what is there.
func (u *unit) move(s *step) error {
	if err := u.unchanged(s.from, s.info); err != nil {
		return err
	}
	if there, err := s.to.in.Lstat(s.to.name); err == nil && os.SameFile(there, s.info) && s.Path.Key() == s.To.Key() {
		return u.respell(s)
	}
	if s.staged != nil {
		if err := u.publishNew(s); err != nil {
			return err
		}
		return s.from.in.Remove(s.from.name)
	}
	err := u.visibly(s, func() error { return u.root.Link(s.from.path(), s.to.path()) })
	switch {
	case err == nil:
		return s.from.in.Remove(s.from.name)
	case errors.Is(err, fs.ErrExist), isFault(err):
		return err
	}
	if _, err := s.to.in.Lstat(s.to.name); err == nil {
		return fs.ErrExist
	}
	return u.visibly(s, func() error { return u.root.Rename(s.from.path(), s.to.path()) })
}

// respell changes the case of a name on a disk that takes both for the same.
func (u *unit) respell(s *step) error {
	if s.staged != nil {
		if err := u.visibly(s, func() error { return s.to.in.Rename(s.staged.temporary, s.from.name) }); err != nil {
			return err
		}
	}
	return u.visibly(s, func() error { return u.root.Rename(s.from.path(), s.to.path()) })
}

// unchanged looks once more whether a file is the very one that was read.
func (u *unit) unchanged(at place, read fs.FileInfo) error {
	now, err := at.in.Lstat(at.name)
	if err != nil {
		return err
	}
	if markOf(now) != markOf(read) {
		return errChanged
	}
	return nil
}

// errChanged says that a file is another than the one that was read.
var errChanged = errors.New("changed meanwhile")

// isFault reports an error that stands for a failing disk rather than for a
// file system without hard links.
func isFault(err error) bool {
	for _, errno := range []error{syscall.EIO, syscall.ENOSPC, syscall.EROFS, syscall.EDQUOT, syscall.EACCES} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// failure explains why a change could not be made after all.
func (u *unit) failure(s *step, err error) error {
	path := s.from.path()
	if s.Op == store.Move && errors.Is(err, fs.ErrExist) {
		path = s.to.path()
	}
	switch {
	case errors.Is(err, errChanged):
		return conflict(path)
	case errors.Is(err, fs.ErrExist):
		return fault.AlreadyExists.Errorf("%q exists already", path)
	case fault.KindOf(err) != fault.Internal:
		return changedOr(s.Change, err)
	}
	return changedOr(s.Change, u.explain(vpath.Path(path), err))
}

// takeBack undoes what a failed commit has made so far. The way back is a
// commit of its own, so that a crash on it is mended like any other.
func (u *unit) takeBack(forward *journal, cause error) error {
	u.discardAll()
	back := u.inverse()
	if len(back) == 0 {
		forward.remove()
		u.removeMade()
		return cause
	}
	way := u.newUnit()
	defer way.close()
	for i := range back {
		way.steps = append(way.steps, &step{Change: back[i]})
	}
	backward, err := way.record()
	if err != nil {
		u.log.Warn("a failed change is taken back without a journal", "error", err.Error())
	}
	forward.remove()
	way.steps = nil
	if err := way.finish("", back); err != nil {
		return fault.StoreUnavailable.Errorf("%w; taking the other changes back failed too, and will be tried again: %w", cause, err)
	}
	backward.remove()
	u.removeMade()
	return cause
}

// inverse lists the changes that lead back, the last one first.
func (u *unit) inverse() []store.Change {
	var back []store.Change
	for _, s := range slices.Backward(u.steps) {
		if !s.touched {
			continue
		}
		now := s.Base
		if s.staged != nil {
			now = revOf(s.Data)
		}
		switch {
		case s.Op == store.Move && s.staged != nil:
			back = append(back, store.Change{Op: store.Move, Path: s.To, To: s.Path, Base: now, Data: notNil(s.old)})
		case s.Op == store.Move:
			back = append(back, store.Change{Op: store.Move, Path: s.To, To: s.Path, Base: now})
		case s.Op == store.Trash:
			back = append(back, store.Change{Op: store.Move, Path: vpath.Path(s.to.path()), To: s.Path, Base: now})
		case s.info == nil:
			back = append(back, store.Change{Op: opRemove, Path: s.Path, Base: now})
		default:
			back = append(back, store.Change{Op: s.Op, Path: s.Path, Config: s.Config, Base: now, Data: notNil(s.old)})
		}
	}
	return back
}

// notNil makes no bytes an empty file.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// syncAll makes the names in all folders that were used durable.
func (u *unit) syncAll() error {
	var problems error
	for _, folder := range u.folders {
		problems = errors.Join(problems, u.syncNames(folder))
	}
	return problems
}

// results tells of the files as they are now.
func (u *unit) results() []store.Result {
	results := make([]store.Result, len(u.steps))
	for i, s := range u.steps {
		switch s.Op {
		case store.WriteConfig:
		case store.Trash:
			results[i] = store.Result{Info: store.Info{Path: s.Path}, TrashPath: s.to.path()}
			u.own.gone(s.Path)
		case store.Move:
			if s.Path != s.To {
				u.own.gone(s.Path)
			}
			results[i] = u.result(s, s.to, s.To)
		default:
			results[i] = u.result(s, s.from, s.Path)
		}
	}
	return results
}

// result tells of a file that was written or moved. If others have changed it
// already, it has no mark, so that whoever keeps marks reads it again.
func (u *unit) result(s *step, at place, path vpath.Path) store.Result {
	rev, ours := s.Base, s.info
	if s.staged != nil {
		rev, ours = revOf(s.Data), s.staged.info
	}
	result := store.Result{Info: store.Info{Path: path}, Rev: rev}
	now, err := at.in.Lstat(at.name)
	if err != nil {
		return result
	}
	result.Info = infoOf(path, now)
	if !sameContent(now, ours) {
		result.Mark = ""
		return result
	}
	u.own.wrote(path, result.Mark)
	return result
}

// sameContent compares what a rename does not change.
func sameContent(a, b fs.FileInfo) bool {
	first, _ := identity(a)
	second, _ := identity(b)
	return first == second && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
