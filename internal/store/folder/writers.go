package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"obsidian-mcp/internal/note/vpath"
)

// Other programs save notes while we read and replace them. Some save in place: they truncate the file and write it
// again. Until they are done, the file holds half a note, and what they write goes into that file even if it has been
// renamed meanwhile.

// A file that was modified more recently than fresh may be half written. Reading waits until other programs have closed
// it, in pauses that double up to longestPause: half a second in all.
const (
	fresh        = 2 * time.Second
	longestPause = 256 * time.Millisecond
)

// loadSettled is load for a file that another program may be saving in place.
func (f *Folder) loadSettled(in *os.Root, path vpath.Path, name string, limit int64) ([]byte, fs.FileInfo, error) {
	for pause := time.Millisecond; ; pause *= 2 {
		data, info, err := f.load(in, path, name, limit, nil)
		if err != nil || pause > longestPause || time.Since(info.ModTime()) > fresh || isStill(in, name, info) {
			return data, info, err
		}
		time.Sleep(pause)
	}
}

// isStill reports whether a file is the one that was seen and no program has it open for writing.
func isStill(in *os.Root, name string, seen fs.FileInfo) bool {
	now, err := in.Lstat(name)
	return err == nil && sameContent(now, seen) && !beingWritten(in, name)
}

// removeIf removes a file if it is the right one. It renames the file to a temporary name first and checks it then: if
// another program has replaced the file at the last moment, removeIf gives the replacement its name back.
func (u *unit) removeIf(at location, isRight func(temporary string) bool) error {
	temporary := u.vault.temporaryName()
	if err := u.vault.disk.rename(at.in, at.name, temporary); err != nil {
		return err
	}
	if isRight(temporary) {
		u.vault.drop(at.in, temporary, at.dir)
		return nil
	}
	err := u.vault.disk.link(at.in, temporary, at.name)
	if err == nil {
		u.vault.drop(at.in, temporary, at.dir)
		return errChanged
	}
	return u.setAside(at, temporary)
}

// setAside renames another program's file, whose own name is taken by now, to "NAME (conflict N)" in the same folder.
func (u *unit) setAside(at location, temporary string) error {
	ext := path.Ext(at.name)
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s (conflict %d)%s", strings.TrimSuffix(at.name, ext), n, ext)
		err := u.vault.disk.link(at.in, temporary, name)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			u.vault.drop(at.in, temporary, at.dir)
		}
		u.vault.log.Warn("another program wrote a note while it was being changed", "path", at.path(), "theirs", name)
		return errors.Join(errChanged, err)
	}
}
