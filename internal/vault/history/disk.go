package history

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/system/disk"
)

// logDisk makes every system call that changes the log's folder, and opens its files.
type logDisk struct{ calls disk.Disk }

// makeFolder creates a folder and its parents, private to the user, and makes their
// names durable.
func (d *logDisk) makeFolder(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	above := filepath.Dir(dir)
	if above != dir {
		if err := d.makeFolder(above); err != nil {
			return err
		}
	}
	err := d.calls.Run("mkdir", func() error {
		err := os.Mkdir(dir, 0o700)
		if info, again := os.Stat(dir); again == nil && info.IsDir() {
			return nil // this process or another one has made it
		}
		return err
	})
	if err != nil {
		return err
	}
	return d.syncFolder(above)
}

// syncFolder makes the names in a folder durable.
func (d *logDisk) syncFolder(dir string) error {
	return d.calls.Run("syncdir", func() error { return system.SyncFolder(dir) })
}

// openLock opens the file that writers lock, and creates it if it is missing.
func (d *logDisk) openLock(in *os.Root) (*os.File, error) {
	return d.open("openlock", in, lockName, os.O_RDWR|os.O_CREATE)
}

// openForReading opens a segment to read it.
func (d *logDisk) openForReading(in *os.Root, name string) (*os.File, error) {
	return d.open("read", in, name, os.O_RDONLY)
}

// openSegment opens a segment to append to it.
func (d *logDisk) openSegment(in *os.Root, name string) (*os.File, error) {
	return d.open("open", in, name, os.O_RDWR)
}

// createSegment creates a segment, which must not exist yet.
func (d *logDisk) createSegment(in *os.Root, name string) (*os.File, error) {
	return d.open("create", in, name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
}

func (d *logDisk) open(kind string, in *os.Root, name string, flags int) (file *os.File, err error) {
	err = d.calls.Run(kind, func() error {
		return system.Patiently(func() (err error) {
			file, err = in.OpenFile(name, flags, 0o600)
			return err
		})
	})
	return file, err
}

func (d *logDisk) write(file *os.File, data []byte, at int64) error {
	return d.calls.Run("write", func() error {
		_, err := file.WriteAt(data, at)
		return err
	})
}

func (d *logDisk) sync(file *os.File) error {
	return d.calls.Run("sync", func() error { return syncData(file) })
}

func (d *logDisk) truncate(file *os.File, size int64) error {
	return d.calls.Run("truncate", func() error { return file.Truncate(size) })
}

// remove removes a file, if it is still there.
func (d *logDisk) remove(in *os.Root, name string) error {
	err := d.calls.Run("remove", func() error { return system.RemoveIn(in, name) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
