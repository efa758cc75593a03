package cache

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// leftAfter is how long a temporary file must have been left alone to be taken
// for that of a process that was killed. One that is in use after all stays
// usable for who has it open.
const leftAfter = time.Hour

// folder is where the file is, and the temporary ones beside it. Its files are
// opened by way of os.Root since that has, also on Windows, files replaced and
// removed while they are open.
type folder struct {
	root   *os.Root
	name   string // of the cache's file
	create func(name string) (file, error)
}

func openFolder(name string) (*folder, error) {
	at := filepath.Dir(name)
	if err := os.MkdirAll(at, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(at)
	if err != nil {
		return nil, err
	}
	f := &folder{root: root, name: filepath.Base(name)}
	f.create = func(name string) (file, error) {
		return root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	}
	return f, nil
}

// open opens the cache's file.
func (f *folder) open() (*os.File, int64, error) {
	if info, err := f.root.Lstat(f.name); err == nil && !info.Mode().IsRegular() {
		return nil, 0, errForeign // opening a pipe would wait
	}
	file, err := f.root.Open(f.name)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errForeign
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		_ = file.Chmod(0o600) // who has it can try passphrases on it
	}
	return file, info.Size(), nil
}

// begin makes an empty shelf in a temporary file.
func (f *folder) begin() (*shelf, error) {
	name := f.name + "." + rand.Text() + ".tmp"
	file, err := f.create(name)
	if err != nil {
		return nil, err
	}
	return &shelf{file: file, name: name, places: map[recordKey]place{}}, nil
}

// publish puts a shelf in the place of the cache's file once the disk has all
// of it.
func (f *folder) publish(s *shelf) error {
	if err := s.file.Sync(); err != nil {
		return err
	}
	if err := f.root.Rename(s.name, f.name); err != nil {
		return err
	}
	s.name = ""
	return nil
}

// discard removes a temporary shelf.
func (f *folder) discard(s *shelf) error {
	err := f.root.Remove(s.name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // swept
	}
	return errors.Join(s.file.Close(), err)
}

// sweep removes what processes that were killed have left behind.
func (f *folder) sweep(before time.Time) {
	entries, _ := fs.ReadDir(f.root.FS(), ".")
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), f.name+".") || !strings.HasSuffix(entry.Name(), ".tmp") {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && info.ModTime().Before(before) {
			_ = f.root.Remove(entry.Name())
		}
	}
}
