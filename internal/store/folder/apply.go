package folder

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system/disk"
)

// apply makes one change visible. A moved file may keep its old name, which removeOldName removes later.
func (u *unit) apply(s *step) error {
	if s.leaving || s.Op == store.RemoveFolder {
		return nil // a crash has left both names; folders are removed last
	}
	if s.info == nil {
		return u.publishNew(s)
	}
	if err := u.unchanged(s.from, s.info); err != nil {
		return err
	}
	switch s.Op {
	case store.Trash:
		return u.trash(s)
	case store.Move:
		return u.move(s)
	case opRemove:
		return s.seen(u.removeIf(s.from, func(temporary string) bool { return isStill(s.from.in, temporary, s.info) }))
	}
	return u.replace(s)
}

// opRemove removes a file. Rolling back a failed commit needs it for the files that the commit itself created.
const opRemove store.Op = 100

// seen records that a system call has changed what others see, unless the call failed.
func (s *step) seen(err error) error {
	s.touched = s.touched || err == nil
	return err
}

// replace replaces the file that was read by the staged one. Where the system can exchange two names, replace checks
// after the exchange that the old file is the one that was read, and exchanges them back if it is not. No edit by
// another program can get lost in between.
func (u *unit) replace(s *step) error {
	err := u.vault.disk.exchange(s.from.in, s.staged.temporary, s.from.name)
	if errors.Is(err, errors.ErrUnsupported) {
		if !isStill(s.from.in, s.from.name, s.info) {
			return errChanged
		}
		return s.seen(u.vault.disk.rename(s.from.in, s.staged.temporary, s.from.name))
	}
	if err != nil {
		return err
	}
	if isStill(s.from.in, s.staged.temporary, s.info) {
		s.touched = true
		u.vault.drop(s.from.in, s.staged.temporary, s.from.dir)
		return nil
	}
	return u.giveBack(s)
}

// giveBack undoes an exchange that displaced a version by another program. That program may have written into our file
// while it had the note's name. If the exchange cannot be undone, their version is kept in the state folder.
func (u *unit) giveBack(s *step) error {
	in, theirs := s.from.in, s.staged.temporary
	switch {
	case u.vault.disk.exchange(in, theirs, s.from.name) == nil:
		if !isStill(in, s.staged.temporary, s.staged.info) {
			return u.setAside(s.from, s.staged.temporary)
		}
		return errChanged
	case u.vault.disk.rename(in, theirs, s.from.name) == nil:
		return errChanged
	}
	data, _, err := u.vault.load(in, vpath.Path(s.from.path()), theirs, maxWhole, nil)
	kept := ""
	if err == nil {
		kept, err = u.vault.keep(theirs, s.from.path(), data)
	}
	u.vault.log.Error("could not restore a version that another program has just written", "path", s.from.path(), "file", theirs, "kept", kept)
	if s.touched = err == nil; err != nil {
		s.staged = nil // the temporary file is their only copy: keep it
	}
	return errChanged
}

// publishNew gives a staged file a name that must be free. A hard link fails if the name is taken; on file systems
// without hard links, publishNew looks before it renames.
func (u *unit) publishNew(s *step) error {
	at := s.staged
	if err := at.checkDownloaded(); err != nil {
		return err
	}
	err := s.seen(u.vault.disk.link(at.in, at.temporary, at.name))
	switch {
	case err == nil:
		u.vault.drop(at.in, at.temporary, at.dir)
		return nil
	case errors.Is(err, fs.ErrExist), isFault(err):
		return err
	}
	if _, err := at.in.Lstat(at.name); err == nil {
		return fs.ErrExist
	}
	return s.seen(u.vault.disk.rename(at.in, at.temporary, at.name))
}

// move gives a file its new name, and never replaces another file.
func (u *unit) move(s *step) error {
	if there, err := s.to.in.Lstat(s.to.name); err == nil && os.SameFile(there, s.info) && s.Path.Key() == s.To.Key() {
		return u.respell(s)
	}
	if s.staged == nil {
		return u.rename(s)
	}
	err := u.publishNew(s)
	s.leaving = err == nil
	return err
}

// rename gives a file a name that must be free. It adds the new name as a hard link, which fails if the name is taken;
// on file systems without hard links, it looks before it renames.
func (u *unit) rename(s *step) error {
	if err := s.to.checkDownloaded(); err != nil {
		return err
	}
	err := s.seen(u.vault.disk.link(u.vault.root, s.from.path(), s.to.path()))
	switch {
	case err == nil:
		s.leaving = true
		return nil
	case errors.Is(err, fs.ErrExist), isFault(err):
		return err
	}
	if _, err := s.to.in.Lstat(s.to.name); err == nil {
		return fs.ErrExist
	}
	return s.seen(u.vault.disk.rename(u.vault.root, s.from.path(), s.to.path()))
}

// trash moves a file to the trash. If its name there has been taken since the commit was planned, it finds another.
func (u *unit) trash(s *step) error {
	for attempt := 1; ; attempt++ {
		err := u.rename(s)
		if !errors.Is(err, fs.ErrExist) || attempt == maxTrashNames {
			return err
		}
		to, err := u.trashLocation(s.Path)
		if err != nil {
			return err
		}
		if s.to, err = u.locateOrMake(to.path()); err != nil {
			return err
		}
	}
}

// maxTrashNames is how many names in the trash may be taken while a file is moved there.
const maxTrashNames = 100

// respell changes the case of a name on a disk that ignores case.
func (u *unit) respell(s *step) error {
	if s.staged != nil {
		if err := s.seen(u.vault.disk.rename(s.to.in, s.staged.temporary, s.from.name)); err != nil {
			return err
		}
	}
	return s.seen(u.respellPath(s.Path, s.To))
}

// respellPath changes the case of a name, and of the folders above it.
func (u *unit) respellPath(path, to vpath.Path) error {
	if path.Dir() != to.Dir() {
		if err := u.respellPath(path.Dir(), to.Dir()); err != nil {
			return err
		}
	}
	if path.Base() == to.Base() {
		return nil
	}
	return u.vault.disk.rename(u.vault.root, string(to.Dir().Join(vpath.Path(path.Base()))), string(to))
}

// removeOldName removes the old name of a file that has its new one. If another program has meanwhile saved a different
// file under the old name, that file stays. What it wrote into the moved file itself moves along.
func (u *unit) removeOldName(s *step) error {
	if !s.leaving {
		return nil
	}
	err := u.removeIf(s.from, func(temporary string) bool {
		now, err := s.from.in.Lstat(temporary)
		goes := s.Data == nil && err == nil && os.SameFile(now, s.info)
		return goes || isStill(s.from.in, temporary, s.info)
	})
	if err != nil {
		return err
	}
	s.leaving = false
	delete(u.synced, s.from.dir)
	return nil
}

// unchanged checks again that a file is still the one that was read.
func (u *unit) unchanged(at location, read fs.FileInfo) error {
	now, err := at.in.Lstat(at.name)
	if err != nil {
		return err
	}
	if markOf(now) != markOf(read) {
		return errChanged
	}
	return nil
}

// errChanged means that a file is not the one that was read any more.
var errChanged = errors.New("changed meanwhile")

// isFault reports whether an error means that the disk fails, and not that the file system has no hard links.
func isFault(err error) bool {
	return slices.ContainsFunc(disk.Errnos, func(errno syscall.Errno) bool { return errors.Is(err, errno) })
}

// failure explains why a change that was planned could not be made.
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
	return changedOr(s.Change, u.vault.explain(vpath.Path(path), err))
}
