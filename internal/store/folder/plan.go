package folder

import (
	"bytes"
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

// plan checks one change against the vault and adds it to the steps of the commit.
func (u *unit) plan(change store.Change) error {
	s := &step{Change: change}
	if change.Op == store.RemoveFolder {
		u.steps = append(u.steps, s)
		return nil
	}
	path := u.pathOf(change)
	locate := u.locate
	if change.Base == store.Absent {
		locate = u.locateOrMake
	}
	from, err := locate(path)
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
		if s.to, err = u.trashLocation(change.Path); err == nil {
			s.to, err = u.locateOrMake(s.to.path())
			s.To = vpath.Path(s.to.path()) // for the journal
		}
	}
	if err != nil {
		return err
	}
	u.steps = append(u.steps, s)
	return nil
}

// changedOr returns a conflict if a file that was read has since disappeared, and err otherwise.
func changedOr(change store.Change, err error) error {
	if change.Base != store.Absent && errors.Is(err, fault.NotFound) {
		return conflict(string(change.Path))
	}
	return err
}

func conflict(path string) error {
	return fault.Conflict.Errorf("%q has changed since it was read", path).WithHint("read it again")
}

// check compares a file with the revision that its change is based on.
func (u *unit) check(s *step, path string) error {
	if s.Base == store.Absent {
		return u.checkAbsent(s, path)
	}
	data, info, err := u.vault.loadSettled(s.from.in, vpath.Path(path), s.from.name, maxWhole)
	if err != nil {
		return changedOr(s.Change, err)
	}
	if revOf(data) != s.Base {
		return conflict(path)
	}
	if info.Mode().Perm()&0o222 == 0 && !u.vault.superuser && (s.Op != store.Move || s.Data != nil) {
		return fault.PermissionDenied.Errorf("%q is read-only", path).WithHint("change its mode")
	}
	s.info = info
	switch {
	case s.Op == store.Move && s.Data == nil: // not needed for undoing that
	case bytes.Equal(s.Was, data):
		s.old = s.Was // so that one copy is in memory
	default:
		s.old = data
	}
	return nil
}

// maxWhole is the size of the largest file that can be changed, moved or trashed.
const maxWhole = 1 << 30

func (u *unit) checkAbsent(s *step, path string) error {
	if u.vault.checkEnd(s.from.name) != nil {
		return endsBadly(path)
	}
	info, err := s.from.in.Lstat(s.from.name)
	if err == nil {
		if err := u.vault.checkPlain(vpath.Path(path), info); err != nil {
			return err
		}
		return fault.AlreadyExists.Errorf("%q exists already", path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return u.vault.explain(vpath.Path(path), err)
	}
	return s.from.checkDownloaded()
}

func endsBadly(path string) error {
	return fault.InvalidArgument.Errorf("%q ends in a dot or a space, which Windows drops", path)
}

// checkDownloaded fails if the file is in iCloud but not on this machine.
func (l location) checkDownloaded() error {
	if _, err := l.in.Lstat("." + l.name + ".icloud"); err == nil {
		return fault.PermissionDenied.Errorf("%q exists in iCloud, but has not been downloaded to this machine", l.path()).
			WithHint("open it in Finder or Obsidian first")
	}
	return nil
}

func (u *unit) planMove(s *step) error {
	to, err := u.locateOrMake(string(s.To))
	if err != nil {
		return err
	}
	s.to = to
	if u.vault.checkEnd(to.name) != nil {
		return endsBadly(string(s.To))
	}
	there, err := to.in.Lstat(to.name)
	if errors.Is(err, fs.ErrNotExist) {
		return to.checkDownloaded()
	}
	if err != nil {
		return u.vault.explain(s.To, err)
	}
	if os.SameFile(s.info, there) && s.Path.Key() == s.To.Key() && !bothListed(s) {
		return nil // another spelling of the same name, on a disk that ignores case
	}
	return fault.AlreadyExists.Errorf("%q exists already", string(s.To))
}

// trashLocation finds a free name in the vault's trash. It makes no folders.
func (u *unit) trashLocation(path vpath.Path) (location, error) {
	dir, name := splitPath(trashFolder + "/" + string(path))
	at := location{dir: dir, name: name}
	ext := name[len(name)-len(path.Ext()):]
	stem := strings.TrimSuffix(name, ext)
	for n := 2; ; n++ {
		_, err := u.vault.root.Lstat(at.path())
		switch {
		case errors.Is(err, syscall.ENOTDIR) && u.vault.isFile(trashFolder):
			return location{}, fault.PermissionDenied.Errorf("cannot move anything to the trash: %q is not a folder", trashFolder).
				WithHint("move that file away")
		case errors.Is(err, syscall.ENOTDIR) && u.vault.hasFileAbove(at.path()):
			at.dir = trashFolder // a trashed file has the folder's name
			continue
		case errors.Is(err, fs.ErrNotExist) && !u.planned(at):
			return at, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return location{}, u.vault.explain(vpath.Path(at.path()), err)
		}
		suffix := " " + strconv.Itoa(n) + ext
		at.name = cut(stem, vpath.MaxComponent-len(suffix)) + suffix
	}
}

// hasFileAbove reports whether a path leads through something that is not a folder. Windows has one error for this and for
// a folder that is missing.
func (f *Folder) hasFileAbove(path string) bool {
	for i, c := range path {
		if c == '/' && f.isFile(path[:i]) {
			return true
		}
	}
	return false
}

// isFile reports whether something other than a folder has this path.
func (f *Folder) isFile(path string) bool {
	info, err := f.root.Lstat(path)
	return err == nil && !info.IsDir()
}

// trashFolder is where Obsidian moves deleted files.
const trashFolder = ".trash"

// TrashPath implements store.Store.
func (f *Folder) TrashPath(_ context.Context, path vpath.Path) (string, error) {
	at, err := f.newUnit().trashLocation(path)
	return at.path(), err
}

// cut shortens a text to at most that many bytes without splitting a rune.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

func (u *unit) planned(at location) bool {
	return slices.ContainsFunc(u.steps, func(s *step) bool { return s.Op == store.Trash && s.to.path() == at.path() })
}
