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

// Others save notes while we read and replace them. Some do it in place: they
// cut the file to nothing and write it anew; until they are done there is half
// a note, and what they write goes into the file whatever its name is by then.

// A file that was changed this shortly ago may be half a note; it is waited for
// until others have closed it, but not for longer than half a second.
const (
	fresh        = 2 * time.Second
	longestPause = 256 * time.Millisecond
)

// loadSettled is load for a file that others may be saving in place.
func (f *Folder) loadSettled(in *os.Root, path vpath.Path, name string, limit int64) ([]byte, fs.FileInfo, error) {
	for pause := time.Millisecond; ; pause *= 2 {
		data, info, err := f.load(in, path, name, limit, nil)
		if err != nil || pause > longestPause || time.Since(info.ModTime()) > fresh || isStill(in, name, info) {
			return data, info, err
		}
		time.Sleep(pause)
	}
}

// isStill reports that a file is the one that was seen, and that nobody is
// about to change it.
func isStill(in *os.Root, name string, seen fs.FileInfo) bool {
	now, err := in.Lstat(name)
	return err == nil && sameContent(now, seen) && !beingWritten(in, name)
}

// takeAway removes a file if it is the right one. It gets a temporary name
// first: if others have put their own in its place in the last moment, that is
// seen, and theirs is given back.
func (u *unit) takeAway(at place, isRight func(temporary string) bool) error {
	temporary := u.temporaryName()
	if err := u.disk.rename(at.in, at.name, temporary); err != nil {
		return err
	}
	if isRight(temporary) {
		u.drop(at.in, temporary, at.dir)
		return nil
	}
	err := u.disk.link(at.in, temporary, at.name)
	if err == nil {
		u.drop(at.in, temporary, at.dir)
		return errChanged
	}
	return u.setAside(at, temporary)
}

// setAside gives a file of others, whose name is taken by now, one of its own
// beside it.
func (u *unit) setAside(at place, temporary string) error {
	ext := path.Ext(at.name)
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s (conflict %d)%s", strings.TrimSuffix(at.name, ext), n, ext)
		err := u.disk.link(at.in, temporary, name)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			u.drop(at.in, temporary, at.dir)
		}
		u.log.Warn("others wrote a note in the moment in which it was changed", "path", at.path(), "theirs", name)
		return errors.Join(errChanged, err)
	}
}
