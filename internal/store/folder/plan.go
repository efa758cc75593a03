package folder

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// plan checks one change against what is there.
func (u *unit) plan(change store.Change) error {
	s := &step{Change: change}
	path := u.pathOf(change)
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
			s.To = vpath.Path(s.to.path()) // for the journal
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
	data, info, err := u.loadSettled(s.from.in, vpath.Path(path), s.from.name, maxWhole)
	if err != nil {
		return changedOr(s.Change, err)
	}
	if revOf(data) != s.Base {
		return conflict(path)
	}
	if info.Mode().Perm()&0o222 == 0 && !u.superuser && (s.Op != store.Move || s.Data != nil) {
		return fault.PermissionDenied.Errorf("%q is read-only", path).WithHint("change its mode")
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
	return s.from.downloaded()
}

// downloaded reports a file that is in iCloud, and not on this machine.
func (p place) downloaded() error {
	if _, err := p.in.Lstat("." + p.name + ".icloud"); err == nil {
		return fault.PermissionDenied.Errorf("%q exists in iCloud, but has not been downloaded to this machine", p.path()).
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
		return to.downloaded()
	}
	if err != nil {
		return u.explain(s.To, err)
	}
	if os.SameFile(s.info, there) && s.Path.Key() == s.To.Key() && !bothListed(s) {
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
		case errors.Is(err, syscall.ENOTDIR) && at.dir != trashFolder:
			at.dir = trashFolder // a file has the folder's name there
			continue
		case errors.Is(err, syscall.ENOTDIR):
			return place{}, fault.PermissionDenied.Errorf("%q is no folder, so that nothing can be put to the trash", trashFolder).
				WithHint("move that file away")
		case errors.Is(err, fs.ErrNotExist) && !u.planned(at):
			return at, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return place{}, u.explain(vpath.Path(at.path()), err)
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

func (u *unit) planned(at place) bool {
	return slices.ContainsFunc(u.steps, func(s *step) bool { return s.Op == store.Trash && s.to.path() == at.path() })
}
