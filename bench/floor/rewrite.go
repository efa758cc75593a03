package floor

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

// Durability says when a rewrite is complete.
type Durability int

const (
	Renamed  Durability = iota // every file is renamed into place, nothing is synced
	SyncEach                   // every file is synced before it is renamed
	SyncOnce                   // all files are written, synced together, then renamed
)

// rewriters is the number of goroutines: more than there are cores, because writing waits for the disk.
const rewriters = 8

// Rewrite replaces a text in files, each through a temporary file and a rename.
func Rewrite(paths []string, from, to string, how Durability) error {
	write := func(i int) error {
		err := writeNew(paths[i], []byte(from), []byte(to), how)
		if err == nil && how != SyncOnce {
			err = os.Rename(temporary(paths[i]), paths[i])
		}
		return err
	}
	if err := share(len(paths), rewriters, func() func(int) error { return write }); err != nil || how != SyncOnce || len(paths) == 0 {
		return err
	}
	if err := syncAround(paths[0]); err != nil {
		return err
	}
	rename := func(i int) error { return os.Rename(temporary(paths[i]), paths[i]) }
	return share(len(paths), rewriters, func() func(int) error { return rename })
}

func temporary(name string) string { return name + ".tmp" }

func writeNew(name string, from, to []byte, how Durability) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(temporary(name), os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err = file.Write(bytes.ReplaceAll(text, from, to)); err == nil && how == SyncEach {
		err = file.Sync()
	}
	return err
}

// syncAround syncs the whole file system that a file is on.
func syncAround(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return unix.Syncfs(int(file.Fd()))
}
