package folder

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sync/errgroup"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// Commit implements store.Store. It checks every change, records them in the journal unless a single file is written,
// writes and syncs each new file under a temporary name, and does all renames last, close together.
func (f *Folder) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	if err := f.waitUntilRecovered(ctx); err != nil {
		return nil, err
	}
	f.commit.Lock()
	defer f.commit.Unlock()
	if err := f.checkReachable(); err != nil {
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
	f.dropLeftovers()
	u := f.newUnit()
	defer u.close()
	for _, change := range changes {
		if err = ctx.Err(); err == nil {
			err = u.plan(change)
		}
		if err != nil {
			u.discardAll()
			return nil, err
		}
	}
	f.publishing.Lock()
	defer f.publishing.Unlock()
	return u.run()
}

// unit is one commit: its changes are made visible together.
type unit struct {
	vault   *Folder
	steps   []*step
	folders map[string]*os.Root // opened so far, by path
	synced  map[string]bool     // folders whose names are durable
	made    []string            // folders that this commit made
}

func (f *Folder) newUnit() *unit {
	return &unit{vault: f, folders: map[string]*os.Root{}, synced: map[string]bool{}}
}

// step is one change that has been checked, with the files it affects.
type step struct {
	store.Change
	old     []byte      // the file as it was read
	info    fs.FileInfo // of the file as it was read; nil if it did not exist
	from    location
	to      location // of a move or a trashed file
	staged  *staged
	touched bool // part of the change may be visible
	leaving bool // the file has its new name, and still has the old one
}

// location is a file name in an open folder.
type location struct {
	in   *os.Root
	dir  string // the folder's path from the vault's root
	name string
}

func (l location) path() string {
	if l.dir == "" {
		return l.name
	}
	return l.dir + "/" + l.name
}

func (u *unit) close() {
	for _, folder := range u.folders {
		folder.Close()
	}
}

// locate opens the folder that a path is in.
func (u *unit) locate(path string) (location, error) { return u.locateBy(path, u.vault.enter) }

// locateOrMake is locate for a path whose folder may have to be made.
func (u *unit) locateOrMake(path string) (location, error) {
	return u.locateBy(path, func(dir vpath.Path) (*os.Root, error) {
		return u.vault.enterOrMake(u.vault.root, string(dir), func(made string) { u.made = append(u.made, made) })
	})
}

func (u *unit) locateBy(path string, open func(dir vpath.Path) (*os.Root, error)) (location, error) {
	dir, name := splitPath(path)
	in, opened := u.folders[dir]
	if !opened {
		var err error
		if in, err = open(vpath.Path(dir)); err != nil {
			return location{}, err
		}
		u.folders[dir] = in
	}
	return location{in, dir, name}, nil
}

func splitPath(path string) (dir, name string) {
	if slash := strings.LastIndexByte(path, '/'); slash >= 0 {
		return path[:slash], path[slash+1:]
	}
	return "", path
}

// run makes the changes of a commit whose changes are all checked.
func (u *unit) run() ([]store.Result, error) {
	journal, err := u.record()
	if err == nil {
		err = u.stageAll()
	}
	if err != nil {
		u.discardAll()
		u.vault.removeJournal(journal)
		return nil, err
	}
	if err := u.publish(); err != nil {
		return nil, u.rollBack(journal, err)
	}
	if err := u.syncAll(); err != nil {
		u.vault.markDone(journal)
		return nil, fault.StoreUnavailable.Errorf("the changes were made, but may not survive a power cut: %w", err)
	}
	results := u.results()
	u.vault.removeJournal(journal)
	return results, nil
}

// stageAll writes all new files under temporary names. Syncing many at once lets the disk combine its work.
func (u *unit) stageAll() error {
	var group errgroup.Group
	group.SetLimit(16)
	for _, s := range u.steps {
		if s.leaving || s.Op == store.Trash || s.Op == store.RemoveFolder || s.Op == opRemove || s.Op == store.Move && s.Data == nil {
			continue
		}
		group.Go(func() error { return u.stage(s) })
	}
	return group.Wait()
}

// publish makes the changes visible. It removes the old names of moved files last, when their new names are durable,
// because disks do not keep the order of changes in different folders.
func (u *unit) publish() error {
	for _, s := range u.steps {
		if err := u.apply(s); err != nil {
			return u.failure(s, err)
		}
	}
	for _, s := range u.steps {
		if !s.leaving || u.synced[s.to.dir] {
			continue
		}
		if err := u.vault.disk.syncNames(s.to.in); err != nil {
			return u.failure(s, err)
		}
		u.synced[s.to.dir] = true
	}
	for _, s := range u.steps {
		if err := u.removeOldName(s); err != nil {
			return u.failure(s, err)
		}
	}
	return nil
}

// syncAll makes the names in all folders of the commit durable.
func (u *unit) syncAll() error {
	var problems error
	for dir, folder := range u.folders {
		if !u.synced[dir] {
			problems = errors.Join(problems, u.vault.disk.syncNames(folder))
		}
	}
	return problems
}
