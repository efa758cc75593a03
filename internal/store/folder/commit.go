package folder

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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

func splitPath(path string) (dir, name string) {
	if slash := strings.LastIndexByte(path, '/'); slash >= 0 {
		return path[:slash], path[slash+1:]
	}
	return "", path
}

// removeMade removes folders that were made for nothing.
func (u *unit) removeMade() {
	for _, dir := range slices.Backward(u.made) {
		_ = u.root.Remove(dir) // fails if something is in it by now
	}
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
		u.keepMade(journal)
		return nil, fault.StoreUnavailable.Errorf("the changes were made, but may not survive a power cut: %w", stripPath(err))
	}
	journal.remove()
	return u.results(), nil
}

// keepMade keeps the journal of a commit that is made, but may be lost by a
// power cut. This process must not make it again.
func (u *unit) keepMade(j *journal) {
	if j != nil {
		u.Folder.made[j.file] = true
	}
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
			if s.staged, err = u.stage(at.in, at.name, s.Data, s.Modified, s.from.in, like); err != nil {
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

// syncAll makes the names in all folders that were used durable.
func (u *unit) syncAll() error {
	var problems error
	for _, folder := range u.folders {
		problems = errors.Join(problems, u.syncNames(folder))
	}
	return problems
}
