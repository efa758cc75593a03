package folder

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/vpath"
)

// temporaryPrefix starts the names of files that are being written. The dot
// hides them from Obsidian and from sync tools.
const temporaryPrefix = ".obsidian-mcp-"

func isTemporary(name string) bool {
	return strings.HasPrefix(name, temporaryPrefix) && strings.HasSuffix(name, ".tmp")
}

// temporaryName does not depend on the note's own, which may be as long as
// the file system allows.
func temporaryName() string {
	var random [8]byte
	rand.Read(random[:])
	return temporaryPrefix + hex.EncodeToString(random[:]) + ".tmp"
}

// staged is a file that is written and synced under a temporary name.
type staged struct {
	in        *os.Root
	temporary string
	name      string
	modified  time.Time   // that it is to have; zero: now
	info      fs.FileInfo // of the file as it was written
}

// stage writes data beside the file that it is to become. The attributes of
// the file at like, an open folder and a name there, are kept; a new file may
// have a time of its own.
func (f *Folder) stage(in *os.Root, name string, data []byte, modified time.Time, likeIn *os.Root, like string) (*staged, error) {
	s := &staged{in: in, temporary: temporaryName(), name: name, modified: modified}
	if err := f.fault("create", name); err != nil {
		return nil, err
	}
	file, err := in.OpenFile(s.temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	err = f.fill(file, s, data, likeIn, like)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		in.Remove(s.temporary)
		return nil, err
	}
	return s, nil
}

func (f *Folder) fill(file *os.File, s *staged, data []byte, likeIn *os.Root, like string) error {
	if err := f.fault("write", s.name); err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return err
	}
	if like != "" {
		old, err := likeIn.OpenFile(like, openForReading, 0)
		if err != nil {
			return err
		}
		defer old.Close()
		info, err := old.Stat()
		if err != nil {
			return err
		}
		if err := keepAttributes(file, old, info); err != nil {
			f.log.Warn("some attributes of a file could not be kept", "file", s.name, "error", stripPath(err).Error())
		}
		if birth, ok := birthOf(info); ok {
			keepBirth(file, birth)
		}
	}
	if !s.modified.IsZero() {
		if err := s.in.Chtimes(s.temporary, s.modified, s.modified); err != nil {
			return err
		}
	}
	if err := f.fault("fsync", s.name); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	var err error
	s.info, err = file.Stat()
	return err
}

// discard takes a staged file back.
func (s *staged) discard() { s.in.Remove(s.temporary) }

// syncNames makes a folder's names durable.
func (f *Folder) syncNames(in *os.Root) error {
	if err := f.fault("syncdir", ""); err != nil {
		return err
	}
	dir, err := in.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	return syncFolder(dir)
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
	if err := f.fault("mkdir", name); err != nil {
		return nil, f.explain(vpath.Path(path), err)
	}
	if err := in.Mkdir(name, 0o777); err == nil {
		made(path)
	} else if !errors.Is(err, fs.ErrExist) {
		return nil, f.explain(vpath.Path(path), err)
	}
	if err := f.syncNames(in); err != nil {
		return nil, f.explain(vpath.Path(path), err)
	}
	return f.descend(in, name, path)
}
