package folder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vpath"
)

// finishPending finishes the commits that a crash interrupted. The lock is
// held, so that none of them is another process' own.
func (f *Folder) finishPending() error {
	pending, err := os.ReadDir(filepath.Join(f.state, "journal"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return stateProblem(err)
	}
	if len(pending) > 0 && f.isEmpty() {
		return fault.StoreUnavailable.Errorf("the vault's folder is empty, and a change of notes in it was interrupted").
			WithHint("mount the disk that holds the vault")
	}
	for _, entry := range pending {
		name := filepath.Join(f.state, "journal", entry.Name())
		if strings.HasPrefix(entry.Name(), ".") || f.made[name] {
			_ = removeDurably(name) // a draft; or all of it is made
			delete(f.made, name)
			continue
		}
		if err := f.rollForward(name); err != nil {
			return fault.StoreUnavailable.Errorf("an interrupted change of several notes could not be finished: %w", err).
				WithHint("make the vault's folder writable; the notes are changed again after that")
		}
	}
	return nil
}

// recover finishes at the start what an earlier process could not. A vault
// that cannot be written can still be read.
func (f *Folder) recover() {
	if _, err := os.Stat(filepath.Join(f.state, "journal")); err != nil {
		return
	}
	unlock, err := f.lock(context.Background())
	if err == nil {
		err = f.finishPending()
		unlock()
	}
	if err != nil {
		f.log.Warn("writes are refused for now", "error", err.Error())
	}
}

func (f *Folder) rollForward(name string) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return stripPath(err)
	}
	if changes, committed := decodeJournal(content); committed {
		u := f.newUnit()
		defer u.close()
		if err := u.finish(name, changes); err != nil {
			return err
		}
		f.log.Info("finished an interrupted change", "notes", len(changes))
	}
	return removeDurably(name)
}

// finish makes those of a commit's changes that are not made yet. A file that
// others changed since stays theirs; our version of it is kept beside the
// journal.
func (u *unit) finish(name string, changes []store.Change) error {
	for _, change := range changes {
		made, err := u.isMade(change)
		if made {
			continue
		}
		if err == nil {
			err = u.planAgain(change)
		}
		if err != nil && !isOthers(err) {
			return err
		}
		if err != nil {
			u.log.Warn("a note changed during an interrupted change of several notes, and was left as it is",
				"path", string(change.Path), "reason", err.Error(), "kept", u.keepVersion(name, change))
		}
	}
	if err := u.stageAll(); err != nil {
		return err
	}
	for _, s := range u.steps {
		if err := u.make(s); err != nil {
			u.discardAll()
			return u.failure(s, err)
		}
	}
	u.sweepAll()
	return u.syncAll()
}

// planAgain plans a change anew. A note that was edited since still goes where
// its links lead by now, as it is.
func (u *unit) planAgain(change store.Change) error {
	err := u.plan(change)
	if change.Op != store.Move || !errors.Is(err, fault.Conflict) {
		return err
	}
	here, readErr := u.revisionAt(u.pathOf(change))
	if readErr != nil || here == store.Absent {
		return err
	}
	return u.plan(store.Change{Op: store.Move, Path: change.Path, To: change.To, Base: here})
}

// isOthers reports that others have changed or replaced a file, as opposed to
// a disk that fails or is closed to us.
func isOthers(err error) bool {
	if errors.Is(err, fs.ErrPermission) {
		return false
	}
	for _, kind := range []fault.Kind{fault.Conflict, fault.AlreadyExists, fault.PermissionDenied, fault.InvalidArgument} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// isEmpty reports a folder with nothing in it, as that of a disk that is not
// mounted.
func (f *Folder) isEmpty() bool {
	dir, err := f.root.Open(".")
	if err != nil {
		return false
	}
	defer dir.Close()
	names, err := dir.Readdirnames(1)
	return len(names) == 0 && errors.Is(err, io.EOF)
}

// sweepAll removes temporary files from the folders of the commit. The lock is
// held, so that nobody is writing any.
func (u *unit) sweepAll() {
	for _, in := range u.folders {
		sweepFolder(in, 0)
	}
}

// isMade reports whether a change was made before the crash. A move whose
// file is still under both names is completed here. That a file cannot be read
// does not mean that it is gone.
func (u *unit) isMade(change store.Change) (bool, error) {
	here, err := u.revisionAt(u.pathOf(change))
	if err != nil {
		return false, err
	}
	switch change.Op {
	case store.Trash, opRemove:
		return here == store.Absent, nil
	case store.Move:
		return u.isMoved(change, here)
	}
	return here == revOf(change.Data), nil
}

// pathOf is where the file that a change is about is found.
func (u *unit) pathOf(change store.Change) string {
	if change.Config != "" {
		return configFolder + "/" + change.Config
	}
	return string(change.Path)
}

func (u *unit) isMoved(change store.Change, here store.Rev) (bool, error) {
	want := change.Base
	if change.Data != nil {
		want = revOf(change.Data)
	}
	there, err := u.revisionAt(string(change.To))
	if err != nil || there != want {
		return false, err
	}
	if here == store.Absent {
		return true, nil
	}
	from, err := u.root.Lstat(string(change.Path))
	if err != nil {
		return false, u.explain(change.Path, err)
	}
	to, err := u.root.Lstat(string(change.To))
	if err != nil {
		return false, u.explain(change.To, err)
	}
	if os.SameFile(from, to) && change.Path.Key() == change.To.Key() && !u.bothListed(change) {
		return true, u.root.Rename(string(change.Path), string(change.To)) // one name, whose spelling may be the old one
	}
	if here != change.Base {
		return true, nil // a new file of others has the old name
	}
	return true, u.root.Remove(string(change.Path))
}

// bothListed reports that two spellings are two names, and not one on a disk
// that takes both.
func (u *unit) bothListed(change store.Change) bool {
	if change.Path.Dir() != change.To.Dir() {
		return true
	}
	at, err := u.at(string(change.Path), false)
	if err != nil {
		return false
	}
	dir, err := at.in.Open(".")
	if err != nil {
		return false
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	return slices.Contains(names, change.Path.Base()) && slices.Contains(names, change.To.Base())
}

// revisionAt is the revision of the file at a path; Absent if there is none.
func (u *unit) revisionAt(path string) (store.Rev, error) {
	at, err := u.at(path, false)
	if errors.Is(err, fault.NotFound) {
		return store.Absent, nil
	}
	if err != nil {
		return "", err
	}
	file, err := u.read(at.in, vpath.Path(path), at.name, maxWhole)
	if errors.Is(err, fault.NotFound) {
		return store.Absent, nil
	}
	return file.Rev, err
}

// keepVersion saves what a change would have written.
func (u *unit) keepVersion(name string, change store.Change) string {
	if change.Data == nil || name == "" {
		return ""
	}
	path := u.pathOf(change)
	if change.Op == store.Move {
		path = string(change.To)
	}
	kept := filepath.Join(u.state, "conflicts", filepath.Base(name), filepath.FromSlash(path))
	if os.MkdirAll(filepath.Dir(kept), 0o700) != nil || os.WriteFile(kept, change.Data, 0o600) != nil {
		return ""
	}
	return kept
}
