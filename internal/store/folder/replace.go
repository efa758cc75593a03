package folder

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// temporaryPrefix starts the names of files that are being written. The dot
// hides them from Obsidian and from sync tools.
const temporaryPrefix = ".obsidian-mcp-"

func isTemporary(name string) bool {
	return strings.HasPrefix(name, temporaryPrefix) && strings.HasSuffix(name, ".tmp")
}

// temporaryName does not depend on the note's own, which may be as long as
// the file system allows.
func (f *Folder) temporaryName() string { return temporaryPrefix + f.tag + randomName() + ".tmp" }

func randomName() string {
	var random [8]byte
	rand.Read(random[:])
	return hex.EncodeToString(random[:])
}

// tagOf is in the temporary names of all processes that share a lock, which is
// in one state folder on one machine: who holds it knows that none of their
// files is being written.
func tagOf(state string) string {
	host, _ := os.Hostname()
	sum := sha256.Sum256([]byte(host + "\x00" + state))
	return hex.EncodeToString(sum[:4])
}

// staged is a file that is written and synced under a temporary name.
type staged struct {
	place
	temporary string
	info      fs.FileInfo // of the file as it was written
}

// stage writes the new file of a step beside the one that it is to become. The
// attributes of the file as it was read are kept; a new one may have a time of
// its own.
func (u *unit) stage(s *step) (err error) {
	at := s.from
	if s.Op == store.Move {
		at = s.to
	}
	s.staged = &staged{place: at, temporary: u.temporaryName()}
	s.staged.info, err = u.disk.write(at.in, s.staged.temporary, 0o666, s.Data, func(file *os.File) error { return u.dress(s, file) })
	if err != nil {
		return u.explain(vpath.Path(at.path()), err)
	}
	return nil
}

func (u *unit) dress(s *step, file *os.File) error {
	if s.info != nil {
		old, err := u.disk.open(s.from.in, s.from.name)
		if err != nil {
			return err
		}
		defer old.Close()
		info, err := old.Stat()
		if err != nil {
			return err
		}
		if err := u.disk.dress(s.staged.in, s.staged.temporary, file, old, info); err != nil {
			u.log.Warn("some attributes of a file could not be kept", "file", s.staged.name, "error", err.Error())
		}
	}
	if s.Modified.IsZero() {
		return nil
	}
	return u.disk.setTime(s.staged.in, s.staged.temporary, s.Modified)
}

// discardAll takes back what is staged and the folders that were made for
// nothing. A file that was published has its temporary name no more.
func (u *unit) discardAll() {
	for _, s := range u.steps {
		if s.staged != nil {
			u.drop(s.staged.in, s.staged.temporary, s.staged.dir)
		}
	}
	for _, dir := range slices.Backward(u.made) {
		u.drop(u.root, dir, "")
	}
}

// drop removes what is of no use any more, from an open folder at a path of the
// vault: a temporary file, or a folder if nothing is in it. What cannot be
// removed now is by the next commit.
func (f *Folder) drop(in *os.Root, name, dir string) {
	err := f.disk.remove(in, name)
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrExist):
		return
	}
	f.left = append(f.left, place{dir: dir, name: name}.path())
}

// dropLeft removes what earlier commits could not.
func (f *Folder) dropLeft() {
	left := f.left
	f.left = nil
	for _, path := range left {
		f.drop(f.root, path, "")
	}
}

// enterOrMake opens a folder below another and makes what is missing of it;
// made is told of each.
func (f *Folder) enterOrMake(from *os.Root, dir string, made func(string)) (*os.Root, error) {
	in, err := from.OpenRoot(".")
	if err != nil || dir == "" {
		return in, err
	}
	done := ""
	for step := range strings.SplitSeq(dir, "/") {
		done += step
		next, err := f.makeFolder(in, step, done, made)
		in.Close()
		if err != nil {
			return nil, err
		}
		in, done = next, done+"/"
	}
	return in, nil
}

func (f *Folder) makeFolder(in *os.Root, name, path string, made func(string)) (*os.Root, error) {
	next, err := f.descend(in, name, path)
	if !errors.Is(err, fault.NotFound) {
		return next, err
	}
	isNew, err := f.disk.mkdir(in, name, 0o777)
	if isNew {
		made(path)
	}
	if err == nil {
		err = f.disk.syncNames(in)
	}
	if err != nil {
		return nil, f.explain(vpath.Path(path), err)
	}
	return f.descend(in, name, path)
}
