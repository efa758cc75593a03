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

// make makes one change visible, but for the name that a file leaves.
func (u *unit) make(s *step) error {
	if s.leaving {
		return nil // both names stand since before a crash
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
		return s.seen(u.takeAway(s.from, func(temporary string) bool { return isStill(s.from.in, temporary, s.info) }))
	}
	return u.replace(s)
}

// What the way back from a failed commit takes away for good, of its own
// making: a file, and a folder that nothing is in.
const (
	opRemove store.Op = 100 + iota
	opRemoveFolder
)

// seen notes whether a call was made that changes what others see.
func (s *step) seen(err error) error {
	s.touched = s.touched || err == nil
	return err
}

// replace puts a staged file in the place of the one that was read. Where the
// system can exchange two names, it looks afterwards whether it was still that
// one, and exchanges them again if not: no moment is left in which an edit of
// others would be lost.
func (u *unit) replace(s *step) error {
	err := u.disk.exchange(s.from.in, s.staged.temporary, s.from.name)
	if errors.Is(err, errors.ErrUnsupported) {
		return s.seen(u.disk.rename(s.from.in, s.staged.temporary, s.from.name))
	}
	if err != nil {
		return err
	}
	if isStill(s.from.in, s.staged.temporary, s.info) {
		s.touched = true
		u.drop(s.from.in, s.staged.temporary, s.from.dir)
		return nil
	}
	return u.giveBack(s)
}

// giveBack undoes an exchange that took a version of others away. They may have
// written into ours in the moment in which it had the note's name. If giving
// back fails, their version is kept in the state folder, and ours taken back.
func (u *unit) giveBack(s *step) error {
	in, theirs := s.from.in, s.staged.temporary
	switch {
	case u.disk.exchange(in, theirs, s.from.name) == nil:
		if !isStill(in, s.staged.temporary, s.staged.info) {
			return u.setAside(s.from, s.staged.temporary)
		}
		return errChanged
	case u.disk.rename(in, theirs, s.from.name) == nil:
		return errChanged
	}
	data, _, err := u.load(in, vpath.Path(s.from.path()), theirs, maxWhole, nil)
	kept := ""
	if err == nil {
		kept, err = u.keep(theirs, s.from.path(), data)
	}
	u.log.Error("a version that others have just written could not be given back", "path", s.from.path(), "file", theirs, "kept", kept)
	if s.touched = err == nil; err != nil {
		s.staged = nil // it is not to be discarded
	}
	return errChanged
}

// publishNew gives a staged file a name that is free: by a hard link, which
// fails where the name is taken; where the file system has none, it looks
// first.
func (u *unit) publishNew(s *step) error {
	at := s.staged
	if err := at.downloaded(); err != nil {
		return err
	}
	err := s.seen(u.disk.link(at.in, at.temporary, at.name))
	switch {
	case err == nil:
		u.drop(at.in, at.temporary, at.dir)
		return nil
	case errors.Is(err, fs.ErrExist), isFault(err):
		return err
	}
	if _, err := at.in.Lstat(at.name); err == nil {
		return fs.ErrExist
	}
	return s.seen(u.disk.rename(at.in, at.temporary, at.name))
}

// move gives a file its new name without ever replacing what is there.
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

// rename gives a file a name that is free: by a second one first, which fails
// where the name is taken; where the file system has none, it looks first.
func (u *unit) rename(s *step) error {
	if err := s.to.downloaded(); err != nil {
		return err
	}
	err := s.seen(u.disk.link(u.root, s.from.path(), s.to.path()))
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
	return s.seen(u.disk.rename(u.root, s.from.path(), s.to.path()))
}

// trash moves a file to the trash. If the name that was free is taken by now,
// another one is.
func (u *unit) trash(s *step) error {
	for {
		err := u.rename(s)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		to, err := u.trashPlace(s.Path)
		if err != nil {
			return err
		}
		if s.to, err = u.at(to.path(), true); err != nil {
			return err
		}
	}
}

// respell changes the case of a name on a disk that takes both for the same.
func (u *unit) respell(s *step) error {
	if s.staged != nil {
		if err := s.seen(u.disk.rename(s.to.in, s.staged.temporary, s.from.name)); err != nil {
			return err
		}
	}
	return s.seen(u.disk.rename(u.root, s.from.path(), s.to.path()))
}

// leave takes the old name from a file that has its new one. Others may have
// saved another file under it meanwhile; what they write into the file itself
// goes with it.
func (u *unit) leave(s *step) error {
	if !s.leaving {
		return nil
	}
	err := u.takeAway(s.from, func(temporary string) bool {
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
	return slices.ContainsFunc(disk.Errnos, func(errno syscall.Errno) bool { return errors.Is(err, errno) })
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
