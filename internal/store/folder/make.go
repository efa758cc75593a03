package folder

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vpath"
)

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
		return u.visibly(s, func() error { return replace(s) })
	case store.Trash:
		if err := u.unchanged(s.from, s.info); err != nil {
			return err
		}
		return u.trash(s)
	case opRemove:
		if err := u.unchanged(s.from, s.info); err != nil {
			return err
		}
		return u.visibly(s, func() error { return s.from.in.Remove(s.from.name) })
	}
	return u.move(s)
}

// replace puts a staged file in the place of the one that was read. Where the
// system can exchange two names, it looks afterwards whether it was still that
// one, and exchanges them again if not: no moment is left in which an edit of
// others would be lost.
func replace(s *step) error {
	err := exchange(s.from.in, s.staged.temporary, s.from.name)
	if errors.Is(err, errors.ErrUnsupported) {
		return s.from.in.Rename(s.staged.temporary, s.from.name)
	}
	if err != nil {
		return err
	}
	old, err := s.from.in.Lstat(s.staged.temporary)
	if err == nil && sameContent(old, s.info) {
		return s.from.in.Remove(s.staged.temporary)
	}
	return errors.Join(errChanged, exchange(s.from.in, s.staged.temporary, s.from.name))
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
	return u.rename(s)
}

// rename gives a file a name that is free: by a second one first, which fails
// where the name is taken; where the file system has none, it looks first.
func (u *unit) rename(s *step) error {
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
