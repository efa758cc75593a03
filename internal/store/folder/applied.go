package folder

import (
	"errors"
	"os"
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// isApplied reports whether a change was made before the crash. A move that has left both names is applied, and gets a
// step that removes the old one. A file that cannot be read is an error, not a missing file.
func (u *unit) isApplied(change store.Change) (bool, error) {
	here, err := u.revisionAt(u.pathOf(change))
	if err != nil {
		return false, err
	}
	switch {
	case change.Op == store.Move, change.Op == store.Trash && here != store.Absent && change.To != "":
		return u.isMoved(change, here)
	case change.Op == store.Trash, change.Op == opRemove:
		return here == store.Absent, nil
	}
	return here == revOf(change.Data), nil
}

// pathOf is the path of the file that a change affects.
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
	s := &step{Change: change, leaving: true}
	if s.from, err = u.locate(string(change.Path)); err != nil {
		return false, err
	}
	if s.to, err = u.locate(string(change.To)); err != nil {
		return false, err
	}
	if s.info, err = s.from.in.Lstat(s.from.name); err != nil {
		return false, u.vault.explain(change.Path, err)
	}
	to, err := s.to.in.Lstat(s.to.name)
	if err != nil {
		return false, u.vault.explain(change.To, err)
	}
	switch {
	case os.SameFile(s.info, to) && change.Path.Key() == change.To.Key() && !bothListed(s):
		return true, u.respellPath(change.Path, change.To) // one name, which may still have the old spelling
	case here == change.Base: // otherwise another program has made a new file of the old name
		u.steps = append(u.steps, s)
	}
	return true, nil
}

// bothListed reports whether two spellings are two names, as opposed to one name on a disk that ignores case.
func bothListed(s *step) bool {
	if s.from.dir != s.to.dir && !isSameFolder(s.from.in, s.to.in) {
		return true
	}
	if s.from.name == s.to.name {
		return false
	}
	names := namesIn(s.from.in)
	return slices.Contains(names, s.from.name) && slices.Contains(names, s.to.name)
}

func isSameFolder(a, b *os.Root) bool {
	first, err := a.Stat(".")
	if err != nil {
		return false
	}
	second, err := b.Stat(".")
	return err == nil && os.SameFile(first, second)
}

// revisionAt is the revision of the file at a path; Absent if it does not exist.
func (u *unit) revisionAt(path string) (store.Rev, error) {
	at, err := u.locate(path)
	if errors.Is(err, fault.NotFound) {
		return store.Absent, nil
	}
	if err != nil {
		return "", err
	}
	file, err := u.vault.read(at.in, vpath.Path(path), at.name, maxWhole)
	if errors.Is(err, fault.NotFound) {
		return store.Absent, nil
	}
	return file.Rev, err
}
