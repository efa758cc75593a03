package folder

import (
	"errors"
	"os"
	"slices"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// isMade reports whether a change was made before the crash. Of a move whose
// file is still under both names, one is left to go. That a file cannot be
// read does not mean that it is gone.
func (u *unit) isMade(change store.Change) (bool, error) {
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
	s := &step{Change: change, leaving: true}
	if s.from, err = u.at(string(change.Path), false); err != nil {
		return false, err
	}
	if s.to, err = u.at(string(change.To), false); err != nil {
		return false, err
	}
	if s.info, err = s.from.in.Lstat(s.from.name); err != nil {
		return false, u.explain(change.Path, err)
	}
	to, err := s.to.in.Lstat(s.to.name)
	if err != nil {
		return false, u.explain(change.To, err)
	}
	switch {
	case os.SameFile(s.info, to) && change.Path.Key() == change.To.Key() && !bothListed(s):
		return true, u.disk.rename(u.root, string(change.Path), string(change.To)) // one name, whose spelling may be the old one
	case here == change.Base: // else a new file of others has the old name
		u.steps = append(u.steps, s)
	}
	return true, nil
}

// bothListed reports that two spellings are two names, and not one on a disk
// that takes both.
func bothListed(s *step) bool {
	if s.from.dir != s.to.dir {
		return true
	}
	names := namesIn(s.from.in)
	return slices.Contains(names, s.from.name) && slices.Contains(names, s.to.name)
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
