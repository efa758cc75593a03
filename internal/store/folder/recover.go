package folder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
)

// finishPending finishes the commits that a crash interrupted. The caller holds the lock, so none of them is being made
// by another process.
func (f *Folder) finishPending() error {
	if err := f.removeDone(); err != nil {
		return stateProblem(err)
	}
	pending, err := os.ReadDir(filepath.Join(f.state, journalFolder))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return stateProblem(err)
	}
	if len(pending) > 0 && f.isEmpty() {
		return fault.StoreUnavailable.Errorf("the vault's folder is empty, but an interrupted change of its notes is still to be finished").
			WithHint("mount the disk that holds the vault")
	}
	for _, entry := range pending {
		if !strings.HasPrefix(entry.Name(), ".") { // a draft was never applied
			err := f.rollForward(entry.Name())
			if errors.Is(err, errNewerJournal) {
				return fault.StoreUnavailable.Errorf("an interrupted change of several notes is still to be finished: %w", err).
					WithHint("start the newer version once, or install it here; until then, notes can only be read")
			}
			if err != nil {
				return fault.StoreUnavailable.Errorf("an interrupted change of several notes could not be finished: %w", err).
					WithHint("make the vault's folder writable; the notes are changed again after that")
			}
		}
		f.markDone(entry.Name())
	}
	if err := f.removeDone(); err != nil {
		return stateProblem(err)
	}
	return nil
}

// recover finishes what an earlier process could not. If that fails, the vault can still be read.
func (f *Folder) recover() {
	if _, err := os.Stat(filepath.Join(f.state, journalFolder)); err != nil {
		return
	}
	unlock, err := f.lock(context.Background())
	if err == nil {
		err = f.finishPending()
		unlock()
	}
	if err != nil {
		f.log.Warn("writes are refused until an interrupted change can be finished", "error", err.Error())
	}
}

func (f *Folder) rollForward(name string) error {
	content, err := os.ReadFile(filepath.Join(f.state, journalFolder, name))
	if err != nil {
		return stripPath(err)
	}
	changes, committed, err := decodeJournal(content)
	if err != nil || !committed {
		return err
	}
	u := f.newUnit()
	defer u.close()
	if err := u.complete(name, changes); err != nil {
		return err
	}
	f.log.Info("finished an interrupted change", "notes", len(changes))
	return nil
}

// complete makes those changes of a commit that are not made yet. A file that another program has changed since is left
// as it is; if the journal has a name, our version of that file is kept in the state folder under that name.
func (u *unit) complete(journal string, changes []store.Change) error {
	for _, change := range changes {
		if change.Op == store.RemoveFolder {
			continue
		}
		made, err := u.isApplied(change)
		if err == nil && !made {
			err = u.planAgain(change)
		}
		if isOthers(err) {
			err = u.yieldToOthers(journal, change, err)
		}
		if err != nil {
			u.discardAll()
			return err
		}
	}
	err := u.stageAll()
	if err == nil {
		err = u.publish()
	}
	if err != nil {
		u.discardAll()
		return err
	}
	u.sweepAll()
	if err := u.syncAll(); err != nil {
		return err
	}
	for _, change := range changes {
		if change.Op == store.RemoveFolder {
			u.vault.drop(u.vault.root, string(change.Path), "")
		}
	}
	return nil
}

func (u *unit) yieldToOthers(journal string, change store.Change, reason error) error {
	kept := ""
	if change.Data != nil && journal != "" {
		path := u.pathOf(change)
		if change.Op == store.Move {
			path = string(change.To)
		}
		var err error
		if kept, err = u.vault.keep(journal, path, change.Data); err != nil {
			return stateProblem(err)
		}
	}
	u.vault.log.Warn("left a note as it is, because another program changed it during an interrupted change of several notes",
		"path", string(change.Path), "reason", reason.Error(), "kept", kept)
	return nil
}

// keep saves a version of a file in the state folder, and returns where.
func (f *Folder) keep(name, path string, data []byte) (string, error) {
	kept := filepath.Join(f.state, "conflicts", name, filepath.FromSlash(path))
	in, err := f.disk.openOrMake(filepath.Dir(kept))
	if err != nil {
		return "", err
	}
	defer in.Close()
	if _, err := in.Lstat(filepath.Base(kept)); err == nil {
		err = f.disk.remove(in, filepath.Base(kept)) // of an earlier attempt
		if err != nil {
			return "", err
		}
	}
	if _, err := f.disk.write(in, filepath.Base(kept), 0o600, data, nil); err != nil {
		return "", err
	}
	return kept, f.disk.syncNames(in)
}

// planAgain plans a change again. A note that was edited since is still moved, as it is, because other notes may link to
// its new name already.
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

// isOthers reports whether an error means that another program changed or replaced a file, and not that the disk fails
// or denies access.
func isOthers(err error) bool {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return false
	}
	for _, kind := range []fault.Kind{fault.Conflict, fault.AlreadyExists, fault.PermissionDenied, fault.InvalidArgument} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// isEmpty reports whether the vault's folder is empty, like the mount point of a disk that is not mounted.
func (f *Folder) isEmpty() bool {
	dir, err := f.root.Open(".")
	if err != nil {
		return false
	}
	defer dir.Close()
	names, err := dir.Readdirnames(1)
	return len(names) == 0 && errors.Is(err, io.EOF)
}
