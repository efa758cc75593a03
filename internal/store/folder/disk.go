package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"obsidian-mcp/internal/system"
)

// disk makes every system call that changes something, in the vault and in
// the state folder, and opens the files that are read. Its errors do not tell
// where on the machine they happened.
type disk struct {
	around func(c call, make func() error) error // a test's: makes the call, or fails in its stead
}

// call is a system call.
type call struct {
	kind string // its name here
	in   *os.Root
	name string
	to   string // the other name of a link, a rename or an exchange
	data []byte // that is written
}

func (d *disk) do(c call, make func() error) error {
	if d.around == nil {
		return stripPath(make())
	}
	return stripPath(d.around(c, make))
}

func (d *disk) open(in *os.Root, name string) (file *os.File, err error) {
	err = d.do(call{kind: "open", in: in, name: name}, func() (err error) {
		file, err = in.OpenFile(name, openForReading, 0)
		return err
	})
	return file, err
}

// create makes a file, which must be new if the flags say so.
func (d *disk) create(in *os.Root, name string, flags int, mode fs.FileMode) (file *os.File, err error) {
	err = d.do(call{kind: "create", in: in, name: name}, func() (err error) {
		file, err = in.OpenFile(name, flags|os.O_CREATE, mode)
		return err
	})
	return file, err
}

// write makes a new file, durable but for its name. What is to be done to it
// before it is synced, dress does; it may be nil.
func (d *disk) write(in *os.Root, name string, mode fs.FileMode, data []byte, dress func(*os.File) error) (fs.FileInfo, error) {
	file, err := d.create(in, name, os.O_WRONLY|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	err = d.do(call{kind: "write", in: in, name: name, data: data}, func() error {
		_, err := file.Write(data)
		return err
	})
	if err == nil && dress != nil {
		err = dress(file)
	}
	if err == nil {
		err = d.do(call{kind: "sync", in: in, name: name}, file.Sync)
	}
	if err != nil {
		return nil, err
	}
	return file.Stat()
}

// dress gives a file the attributes of another one.
func (d *disk) dress(in *os.Root, name string, file, like *os.File, info fs.FileInfo) error {
	return d.do(call{kind: "dress", in: in, name: name}, func() error {
		if birth, ok := birthOf(info); ok {
			defer keepBirth(file, birth)
		}
		return keepAttributes(file, like, info)
	})
}

func (d *disk) setTime(in *os.Root, name string, when time.Time) error {
	return d.do(call{kind: "time", in: in, name: name}, func() error { return in.Chtimes(name, when, when) })
}

// syncNames makes a folder's names durable.
func (d *disk) syncNames(in *os.Root) error {
	return d.do(call{kind: "syncdir", in: in, name: "."}, func() error {
		dir, err := in.Open(".")
		if err != nil {
			return err
		}
		defer dir.Close()
		return system.SyncNames(dir)
	})
}

func (d *disk) link(in *os.Root, name, to string) error {
	return d.do(call{kind: "link", in: in, name: name, to: to}, func() error { return in.Link(name, to) })
}

func (d *disk) rename(in *os.Root, name, to string) error {
	return d.do(call{kind: "rename", in: in, name: name, to: to}, func() error { return in.Rename(name, to) })
}

func (d *disk) exchange(in *os.Root, name, to string) error {
	return d.do(call{kind: "exchange", in: in, name: name, to: to}, func() error { return exchange(in, name, to) })
}

// remove takes away a file, or a folder with nothing in it.
func (d *disk) remove(in *os.Root, name string) error {
	return d.do(call{kind: "remove", in: in, name: name}, func() error { return in.Remove(name) })
}

// mkdir makes a folder; whether it was there already, made tells.
func (d *disk) mkdir(in *os.Root, name string, mode fs.FileMode) (made bool, err error) {
	err = d.do(call{kind: "mkdir", in: in, name: name}, func() error { return in.Mkdir(name, mode) })
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// openMade opens a folder outside of the vault and makes what is missing of
// it, durably.
func (d *disk) openMade(dir string) (*os.Root, error) {
	in, err := os.OpenRoot(dir)
	above := filepath.Dir(dir)
	if !errors.Is(err, fs.ErrNotExist) || above == dir {
		return in, stripPath(err)
	}
	parent, err := d.openMade(above)
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	made, err := d.mkdir(parent, filepath.Base(dir), 0o700)
	if err != nil {
		return nil, err
	}
	if err := d.syncNames(parent); err != nil {
		if made {
			_ = d.remove(parent, filepath.Base(dir)) // so that the next try syncs it
		}
		return nil, err
	}
	in, err = parent.OpenRoot(filepath.Base(dir))
	return in, stripPath(err)
}
