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
	f.dropLeft()
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

// unit is one commit.
type unit struct {
	*Folder
	steps   []*step
	folders map[string]*os.Root // those opened so far
	synced  map[string]bool     // those whose names are durable
	made    []string            // folders that did not exist before
}

func (f *Folder) newUnit() *unit {
	return &unit{Folder: f, folders: map[string]*os.Root{}, synced: map[string]bool{}}
}

// step is one change, checked and with its places.
type step struct {
	store.Change
	old     []byte      // the file as it was read
	info    fs.FileInfo // of the file as it was read; nil if there was none
	from    place
	to      place // of a move and of what is trashed
	staged  *staged
	touched bool // something of it may be visible
	leaving bool // the file has its new name, and the old one is to go
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

// run makes the changes.
func (u *unit) run() ([]store.Result, error) {
	journal, err := u.record()
	if err == nil {
		err = u.stageAll()
	}
	if err != nil {
		u.discardAll()
		u.settle(journal)
		return nil, err
	}
	if err := u.publish(); err != nil {
		return nil, u.takeBack(journal, err)
	}
	if err := u.syncAll(); err != nil {
		u.keepSettled(journal)
		return nil, fault.StoreUnavailable.Errorf("the changes were made, but may not survive a power cut: %w", err)
	}
	u.settle(journal)
	return u.results(), nil
}

// stageAll writes all new files. Syncing many at a time lets the disk do
// several with one turn.
func (u *unit) stageAll() error {
	var group errgroup.Group
	group.SetLimit(16)
	for _, s := range u.steps {
		if s.leaving || s.Op == store.Trash || s.Op == opRemove || s.Op == store.Move && s.Data == nil {
			continue
		}
		group.Go(func() error { return u.stage(s) })
	}
	return group.Wait()
}

// publish makes the changes visible. The names that files leave are removed
// last, when the new ones are durable: disks keep no order between folders.
func (u *unit) publish() error {
	for _, s := range u.steps {
		if err := u.make(s); err != nil {
			return u.failure(s, err)
		}
	}
	for _, s := range u.steps {
		if !s.leaving || u.synced[s.to.dir] {
			continue
		}
		if err := u.disk.syncNames(s.to.in); err != nil {
			return u.failure(s, err)
		}
		u.synced[s.to.dir] = true
	}
	for _, s := range u.steps {
		if err := u.leave(s); err != nil {
			return u.failure(s, err)
		}
	}
	return nil
}

// syncAll makes the names in all folders that were used durable.
func (u *unit) syncAll() error {
	var problems error
	for dir, folder := range u.folders {
		if !u.synced[dir] {
			problems = errors.Join(problems, u.disk.syncNames(folder))
		}
	}
	return problems
}
