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

// temporaryPrefix starts the names of files that are being written. The dot hides them from Obsidian and sync tools.
const temporaryPrefix = ".obsidian-mcp-"

func isTemporary(name string) bool {
	return strings.HasPrefix(name, temporaryPrefix) && strings.HasSuffix(name, ".tmp")
}

// temporaryName is random and short. It does not contain the note's name, which may be as long as the file system
// allows.
func (f *Folder) temporaryName() string { return temporaryPrefix + f.tag + randomName() + ".tmp" }

func randomName() string {
	var random [8]byte
	rand.Read(random[:])
	return hex.EncodeToString(random[:])
}

// tagOf returns a tag for the temporary names of all processes that share a lock, that is, a state folder on one
// machine. A process that holds the lock knows that no temporary file with its tag is being written.
func tagOf(state string) string {
	host, _ := os.Hostname()
	sum := sha256.Sum256([]byte(host + "\x00" + state))
	return hex.EncodeToString(sum[:4])
}

// staged is a file that has been written and synced under a temporary name.
type staged struct {
	location
	temporary string
	info      fs.FileInfo // of the file as it was written
}

// stage writes the new content of a step to a temporary file in the folder of its target.
func (u *unit) stage(s *step) (err error) {
	at := s.from
	if s.Op == store.Move {
		at = s.to
	}
	s.staged = &staged{location: at, temporary: u.vault.temporaryName()}
	s.staged.info, err = u.vault.disk.write(at.in, s.staged.temporary, 0o666, s.Data, func(file *os.File) error { return u.prepare(s, file) })
	if err != nil {
		return u.vault.explain(vpath.Path(at.path()), err)
	}
	return nil
}

// prepare gives a staged file the attributes of the file that it replaces, or the time that the change asks for.
func (u *unit) prepare(s *step, file *os.File) error {
	if s.info != nil {
		old, err := u.vault.disk.open(s.from.in, s.from.name)
		if err != nil {
			return err
		}
		defer old.Close()
		info, err := old.Stat()
		if err != nil {
			return err
		}
		if err := u.vault.disk.copyAttributes(s.staged.in, s.staged.temporary, file, old, info); err != nil {
			u.vault.log.Warn("could not keep some attributes of a file", "file", s.staged.name, "error", err.Error())
		}
	}
	if s.Modified.IsZero() {
		return nil
	}
	return u.vault.disk.setTime(s.staged.in, s.staged.temporary, s.Modified)
}

// discardAll removes the staged files that were not published, and the folders that were made for them.
func (u *unit) discardAll() {
	for _, s := range u.steps {
		if s.staged != nil {
			u.vault.drop(s.staged.in, s.staged.temporary, s.staged.dir)
		}
	}
	for _, dir := range slices.Backward(u.made) {
		if in, opened := u.folders[dir]; opened { // some systems do not remove a folder that is open
			in.Close()
			delete(u.folders, dir)
		}
		u.vault.drop(u.vault.root, dir, "")
	}
}

// drop removes a temporary file, or a folder if it is empty, from an open folder whose path in the vault is dir. If that
// fails, the next commit tries again.
func (f *Folder) drop(in *os.Root, name, dir string) {
	err := f.disk.remove(in, name)
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrExist):
		return
	}
	f.leftovers = append(f.leftovers, location{dir: dir, name: name}.path())
}

// dropLeftovers removes what earlier commits failed to remove.
func (f *Folder) dropLeftovers() {
	leftovers := f.leftovers
	f.leftovers = nil
	for _, path := range leftovers {
		f.drop(f.root, path, "")
	}
}

// enterOrMake opens a folder below another and makes the folders that are missing. It calls made for each of them.
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
