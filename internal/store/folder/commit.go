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
	unlock, err := f.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()

	unit := &unit{Folder: f, folders: map[string]*os.Root{}}
	defer unit.close()
	for _, change := range changes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := unit.plan(change); err != nil {
			return nil, err
		}
	}
	return unit.run()
}

// lock keeps other processes from changing the same vault.
func (f *Folder) lock() (unlock func(), err error) {
	if err := os.MkdirAll(f.state, 0o700); err != nil {
		return nil, fault.StoreUnavailable.Errorf("the state folder cannot be made: %w", stripPath(err)).
			WithHint("set OBSIDIAN_MCP_STATE_DIR to a folder that can be written")
	}
	file, err := os.OpenFile(filepath.Join(f.state, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fault.StoreUnavailable.Errorf("the state folder cannot be used: %w", stripPath(err)).
			WithHint("set OBSIDIAN_MCP_STATE_DIR to a folder that can be written")
	}
	if err := lockFile(file); err != nil {
		file.Close()
		return nil, fault.StoreUnavailable.Errorf("the vault cannot be locked: %w", err)
	}
	return func() { file.Close() }, nil
}

// unit is one commit.
type unit struct {
	*Folder
	steps   []*step
	folders map[string]*os.Root // those opened so far
}

// step is one change, checked and with its places.
type step struct {
	store.Change
	old    []byte // the file as it is
	exists bool
	from   place
	to     place // of a move and of what is trashed
	staged *staged
	done   bool
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
	dir, name := "", path
	if slash := strings.LastIndexByte(path, '/'); slash >= 0 {
		dir, name = path[:slash], path[slash+1:]
	}
	if in, ok := u.folders[dir]; ok {
		return place{in, dir, name}, nil
	}
	var in *os.Root
	var err error
	if make {
		in, err = u.enterOrMake(u.root, dir)
	} else {
		in, err = u.enter(vpath.Path(dir))
	}
	if err != nil {
		return place{}, err
	}
	u.folders[dir] = in
	return place{in, dir, name}, nil
}

// plan checks one change against what is there.
func (u *unit) plan(change store.Change) error {
	s := &step{Change: change}
	path := string(change.Path)
	if change.Op == store.WriteConfig {
		path = configFolder + "/" + change.Config
	}
	from, err := u.at(path, change.Op == store.Write && change.Base == store.Absent)
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
		s.to, err = u.trashPlace(change.Path)
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
	file, err := u.read(s.from.in, vpath.Path(path), s.from.name, 1<<30)
	if err != nil {
		return changedOr(s.Change, err)
	}
	if file.Rev != s.Base {
		return conflict(path)
	}
	s.old, s.exists = file.Data, true
	return nil
}

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
	here, err := s.from.in.Lstat(s.from.name)
	if err == nil && os.SameFile(here, there) && s.Path.Key() == s.To.Key() {
		return nil // another spelling, on a disk that does not tell them apart
	}
	return fault.AlreadyExists.Errorf("%q exists already", string(s.To))
}

// trashPlace finds a free name in the vault's trash.
func (u *unit) trashPlace(path vpath.Path) (place, error) {
	at, err := u.at(".trash/"+string(path), true)
	if err != nil {
		return place{}, err
	}
	ext := at.name[len(at.name)-len(path.Ext()):]
	stem := strings.TrimSuffix(at.name, ext)
	for n := 2; ; n++ {
		if _, err := at.in.Lstat(at.name); errors.Is(err, fs.ErrNotExist) && !u.planned(at) {
			return at, nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return place{}, u.explain(path, err)
		}
		suffix := " " + strconv.Itoa(n) + ext
		at.name = stem[:min(len(stem), vpath.MaxComponent-len(suffix))] + suffix
	}
}

func (u *unit) planned(at place) bool {
	return slices.ContainsFunc(u.steps, func(s *step) bool { return s.Op == store.Trash && s.to.path() == at.path() })
}

// run makes the changes.
func (u *unit) run() ([]store.Result, error) {
	journal, err := u.record()
	if err != nil {
		return nil, err
	}
	if err := u.stageAll(); err != nil {
		journal.remove()
		return nil, err
	}
	for i, s := range u.steps {
		if err := u.make(s); err != nil {
			err = u.failure(s, err)
			if undoErr := u.undo(u.steps[:i+1]); undoErr != nil {
				return nil, fault.StoreUnavailable.Errorf("%w; taking the other changes back failed too, and will be tried at the next start: %w", err, undoErr)
			}
			journal.remove()
			return nil, err
		}
	}
	if err := u.syncAll(); err != nil {
		return nil, fault.StoreUnavailable.Errorf("the changes were made, but may not survive a power cut: %w", stripPath(err))
	}
	journal.remove()
	return u.results()
}

// stageAll writes all new files. Syncing many at a time lets the disk do
// several with one turn.
func (u *unit) stageAll() error {
	var group errgroup.Group
	group.SetLimit(16)
	for _, s := range u.steps {
		if s.Op == store.Trash || s.Op == store.Move && s.Data == nil {
			continue
		}
		group.Go(func() (err error) {
			at, like := s.from, ""
			if s.Op == store.Move {
				at = s.to
			}
			if s.exists {
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
		for _, s := range u.steps {
			if s.staged != nil {
				s.staged.discard()
			}
		}
	}
	return err
}

// make makes one change visible.
func (u *unit) make(s *step) error {
	if s.Op == store.Write || s.Op == store.WriteConfig {
		if err := u.publish(s.staged); err != nil {
			return err
		}
		s.done = true
		return nil
	}
	if err := u.unchanged(s); err != nil {
		return err
	}
	if err := u.fault("rename", s.from.name); err != nil {
		return err
	}
	s.done = true
	if s.Op == store.Trash {
		return u.root.Rename(s.from.path(), s.to.path())
	}
	return u.move(s)
}

// move gives a file its new place without ever replacing what is there: by a
// second name first, where the file system can do that.
func (u *unit) move(s *step) error {
	if s.staged != nil {
		if s.from.path() == s.to.path() {
			s.staged.replaces, _ = s.from.in.Lstat(s.from.name)
		}
		if err := u.publish(s.staged); err != nil {
			return err
		}
		if s.from.path() == s.to.path() {
			return nil
		}
		return s.from.in.Remove(s.from.name)
	}
	if s.Path.Key() == s.To.Key() {
		return u.respell(s)
	}
	err := u.root.Link(s.from.path(), s.to.path())
	if err == nil {
		return s.from.in.Remove(s.from.name)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	return u.root.Rename(s.from.path(), s.to.path())
}

// respell changes the case of a name, by way of another one for disks that
// take both for the same.
func (u *unit) respell(s *step) error {
	between := temporaryName()
	if err := s.from.in.Rename(s.from.name, between); err != nil {
		return err
	}
	if _, err := s.to.in.Lstat(s.to.name); err == nil {
		return errors.Join(fs.ErrExist, s.from.in.Rename(between, s.from.name))
	}
	if s.from.dir == s.to.dir {
		return s.from.in.Rename(between, s.to.name)
	}
	return u.root.Rename(place{nil, s.from.dir, between}.path(), s.to.path())
}

// unchanged looks once more whether a file that goes away is the one that was
// read.
func (u *unit) unchanged(s *step) error {
	file, err := u.read(s.from.in, vpath.Path(s.from.path()), s.from.name, 1<<30)
	if err != nil {
		return err
	}
	if file.Rev != s.Base {
		return errChanged
	}
	return nil
}

// failure explains why a change could not be made after all.
func (u *unit) failure(s *step, err error) error {
	path := s.from.path()
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

// undo takes changes back, the last one first, and drops what is staged.
func (u *unit) undo(tried []*step) error {
	for _, s := range u.steps {
		if s.staged != nil {
			s.staged.discard() // one that was published has that name no more
		}
	}
	var problems error
	for _, s := range slices.Backward(tried) {
		if s.done {
			problems = errors.Join(problems, u.undoStep(s))
		}
	}
	return errors.Join(problems, u.syncAll())
}

func (u *unit) undoStep(s *step) error {
	switch {
	case s.Op == store.Trash:
		return u.back(s)
	case s.Op == store.Move && s.staged == nil:
		return u.back(s)
	case s.Op == store.Move:
		if err := u.restore(s.from, s.old, s.Data); err != nil {
			return err
		}
		if s.from.path() == s.to.path() {
			return nil
		}
		return ignoreAbsent(s.to.in.Remove(s.to.name))
	case !s.exists:
		return ignoreAbsent(s.from.in.Remove(s.from.name))
	default:
		return u.restore(s.from, s.old, s.Data)
	}
}

// back moves a file to where it was, unless it never left.
func (u *unit) back(s *step) error {
	if _, err := s.to.in.Lstat(s.to.name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return u.root.Rename(s.to.path(), s.from.path())
}

// restore writes a file's old bytes, unless others have changed it since.
func (u *unit) restore(at place, old, ours []byte) error {
	like := at.name
	file, err := u.read(at.in, vpath.Path(at.path()), at.name, 1<<30)
	if errors.Is(err, fault.NotFound) {
		like = ""
	} else if err != nil {
		return err
	} else if file.Rev != revOf(ours) {
		return nil
	}
	staged, err := u.stage(at.in, at.name, old, at.in, like)
	if err != nil {
		return err
	}
	return u.publish(staged)
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
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
func (u *unit) results() ([]store.Result, error) {
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
	return results, nil
}

func (u *unit) result(s *step, at place, path vpath.Path) store.Result {
	rev := s.Base
	if s.Data != nil || s.Op == store.Write {
		rev = revOf(s.Data)
	}
	result := store.Result{Info: store.Info{Path: path}, Rev: rev}
	if info, err := at.in.Lstat(at.name); err == nil {
		result.Info = infoOf(path, info)
		u.own.wrote(path, result.Mark)
	}
	return result
}
