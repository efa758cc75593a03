package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/system/disk"
)

// vaultDisk makes every system call that changes the vault or the state folder, and opens the files that are read.
// Its errors do not reveal where on the machine they happened.
type vaultDisk struct{ calls disk.Disk }

func (d *vaultDisk) do(call disk.Call, run func() error) error {
	return stripPath(d.calls.Do(call, run))
}

func (d *vaultDisk) open(in *os.Root, name string) (file *os.File, err error) {
	err = d.do(disk.Call{Kind: "open", In: in, Name: name}, func() error {
		return system.Patiently(func() (err error) {
			file, err = in.OpenFile(name, openForReading, 0)
			return err
		})
	})
	return file, err
}

// create opens a file for writing, and creates it if it is missing.
func (d *vaultDisk) create(in *os.Root, name string, flags int, mode fs.FileMode) (file *os.File, err error) {
	err = d.do(disk.Call{Kind: "create", In: in, Name: name}, func() error {
		return system.Patiently(func() (err error) {
			file, err = in.OpenFile(name, flags|os.O_CREATE, mode)
			return err
		})
	})
	return file, err
}

// write creates a file and syncs it; its name is not durable yet. If prepare is not nil, it is called before the sync.
func (d *vaultDisk) write(
	in *os.Root, name string, mode fs.FileMode, data []byte, prepare func(*os.File) error,
) (fs.FileInfo, error) {
	file, err := d.create(in, name, os.O_WRONLY|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	err = d.do(disk.Call{Kind: "write", In: in, Name: name, Data: data}, func() error {
		_, err := file.Write(data)
		return err
	})
	if err == nil && prepare != nil {
		err = prepare(file)
	}
	if err == nil {
		err = d.do(disk.Call{Kind: "sync", In: in, Name: name}, file.Sync)
	}
	if err != nil {
		return nil, err
	}
	return file.Stat()
}

// copyAttributes gives a file the attributes of another one.
func (d *vaultDisk) copyAttributes(in *os.Root, name string, file, like *os.File, info fs.FileInfo) error {
	return d.do(disk.Call{Kind: "dress", In: in, Name: name}, func() error {
		if birth, ok := birthOf(info); ok {
			defer setBirth(file, birth)
		}
		return keepAttributes(file, like, info)
	})
}

func (d *vaultDisk) setTime(in *os.Root, name string, when time.Time) error {
	return d.do(disk.Call{Kind: "time", In: in, Name: name}, func() error { return in.Chtimes(name, when, when) })
}

// syncNames makes the names in a folder durable.
func (d *vaultDisk) syncNames(in *os.Root) error {
	return d.do(disk.Call{Kind: "syncdir", In: in, Name: "."}, func() error {
		dir, err := in.Open(".")
		if err != nil {
			return err
		}
		defer dir.Close()
		return system.SyncNames(dir)
	})
}

func (d *vaultDisk) link(in *os.Root, name, to string) error {
	return d.do(disk.Call{Kind: "link", In: in, Name: name, To: to}, func() error { return system.LinkIn(in, name, to) })
}

func (d *vaultDisk) rename(in *os.Root, name, to string) error {
	return d.do(disk.Call{Kind: "rename", In: in, Name: name, To: to}, func() error { return system.RenameIn(in, name, to) })
}

func (d *vaultDisk) exchange(in *os.Root, name, to string) error {
	return d.do(disk.Call{Kind: "exchange", In: in, Name: name, To: to}, func() error { return exchange(in, name, to) })
}

// remove removes a file or an empty folder.
func (d *vaultDisk) remove(in *os.Root, name string) error {
	return d.do(disk.Call{Kind: "remove", In: in, Name: name}, func() error { return system.RemoveIn(in, name) })
}

// mkdir makes a folder, and reports whether it did: if the folder exists already, that is not an error.
func (d *vaultDisk) mkdir(in *os.Root, name string, mode fs.FileMode) (made bool, err error) {
	err = d.do(disk.Call{Kind: "mkdir", In: in, Name: name}, func() error { return in.Mkdir(name, mode) })
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// openOrMake opens a folder outside of the vault. It makes the folders that are missing, durably.
func (d *vaultDisk) openOrMake(dir string) (*os.Root, error) {
	in, err := os.OpenRoot(dir)
	above := filepath.Dir(dir)
	if !errors.Is(err, fs.ErrNotExist) || above == dir {
		return in, stripPath(err)
	}
	parent, err := d.openOrMake(above)
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
			_ = d.remove(parent, filepath.Base(dir)) // the next attempt then makes and syncs it again
		}
		return nil, err
	}
	in, err = parent.OpenRoot(filepath.Base(dir))
	return in, stripPath(err)
}
