package history

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"obsidian-mcp/internal/system"
)

// disk is all that changes something on the disk, and how its files are opened.
type disk struct {
	fault func(call string) error // makes calls fail, for tests; nil: none
}

func (d *disk) fails(call string) error {
	if d.fault == nil {
		return nil
	}
	return d.fault(call)
}

// makeFolder makes a folder and those above it, closed to others, and their names
// durable.
func (d *disk) makeFolder(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	above := filepath.Dir(dir)
	if above != dir {
		if err := d.makeFolder(above); err != nil {
			return err
		}
	}
	if err := d.fails("mkdir"); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		if info, again := os.Stat(dir); again != nil || !info.IsDir() {
			return err // it is not that another process was faster
		}
	}
	return d.syncFolder(above)
}

// syncFolder makes the names in a folder durable.
func (d *disk) syncFolder(dir string) error {
	if err := d.fails("syncdir"); err != nil {
		return err
	}
	return system.SyncFolder(dir)
}

// openLock opens the file that writers lock, and makes it where there is none.
func (d *disk) openLock(in *os.Root) (*os.File, error) {
	if err := d.fails("openlock"); err != nil {
		return nil, err
	}
	return in.OpenFile(lockName, os.O_RDWR|os.O_CREATE, 0o600)
}

// read opens a segment for reading.
func (d *disk) read(in *os.Root, name string) (*os.File, error) {
	if err := d.fails("read"); err != nil {
		return nil, err
	}
	return in.Open(name)
}

// openSegment opens a segment for appending.
func (d *disk) openSegment(in *os.Root, name string) (*os.File, error) {
	if err := d.fails("open"); err != nil {
		return nil, err
	}
	return in.OpenFile(name, os.O_RDWR, 0)
}

// createSegment makes a segment.
func (d *disk) createSegment(in *os.Root, name string) (*os.File, error) {
	if err := d.fails("create"); err != nil {
		return nil, err
	}
	return in.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

func (d *disk) write(file *os.File, data []byte, at int64) error {
	if err := d.fails("write"); err != nil {
		return err
	}
	_, err := file.WriteAt(data, at)
	return err
}

func (d *disk) sync(file *os.File) error {
	if err := d.fails("sync"); err != nil {
		return err
	}
	return syncData(file)
}

func (d *disk) cut(file *os.File, size int64) error {
	if err := d.fails("truncate"); err != nil {
		return err
	}
	return file.Truncate(size)
}

func (d *disk) remove(in *os.Root, name string) error {
	if err := d.fails("remove"); err != nil {
		return err
	}
	if err := in.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
