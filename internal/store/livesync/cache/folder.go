package cache

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"obsidian-mcp/internal/system"
)

// leftAfter is the age at which a temporary file is considered left behind by a killed process. A process that still has
// it open can go on using it after its removal.
const leftAfter = time.Hour

// folder holds the cache file and temporary files. Files are opened through os.Root, which allows replacing and removing
// open files on Windows too.
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
		_ = file.Chmod(0o600) // anyone with the file could try passphrases on it
	}
	return file, info.Size(), nil
}

// isNewer reports whether a newer version of the program has replaced the cache's file meanwhile.
func (f *folder) isNewer() bool {
	file, _, err := f.open()
	if err != nil {
		return false
	}
	defer file.Close()
	header := make([]byte, saltAt)
	n, _ := file.ReadAt(header, 0)
	return isNewer(header[:n])
}

// begin creates an empty temporary record file.
func (f *folder) begin() (*recordFile, error) {
	name := f.name + "." + rand.Text() + ".tmp"
	file, err := f.create(name)
	if err != nil {
		return nil, err
	}
	return &recordFile{file: file, name: name, locations: map[recordKey]location{}}, nil
}

// publish syncs a record file to disk and renames it to the cache file.
func (f *folder) publish(records *recordFile) error {
	if err := records.file.Sync(); err != nil {
		return err
	}
	if f.isNewer() {
		return errNewer
	}
	if err := system.RenameIn(f.root, records.name, f.name); err != nil {
		return err
	}
	records.name = ""
	return nil
}

// discard removes a temporary record file.
func (f *folder) discard(records *recordFile) error {
	err := system.RemoveIn(f.root, records.name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // another process swept it
	}
	return errors.Join(records.file.Close(), err)
}

// sweep removes temporary files that killed processes have left behind.
func (f *folder) sweep(before time.Time) {
	entries, _ := fs.ReadDir(f.root.FS(), ".")
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), f.name+".") || !strings.HasSuffix(entry.Name(), ".tmp") {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && info.ModTime().Before(before) {
			_ = system.RemoveIn(f.root, entry.Name())
		}
	}
}
