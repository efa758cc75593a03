//go:build linux || darwin

package folder

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system/disk"
)

// A scan visits every file of a vault, and would spend most of its time in os.File and fs.FileInfo. This file makes the
// system calls directly. That is safe: a name without a slash in an open folder, with links not followed, cannot lead
// anywhere else.

// readDir lists a folder. A file opened through os.Root stats each entry as it lists them; a plain file takes the types
// from the folder itself. Only file systems whose folders hold no types need the name.
func readDir(dir *os.File, name string) ([]os.DirEntry, error) {
	fd, err := unix.FcntlInt(dir.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	plain := os.NewFile(uintptr(fd), name)
	defer plain.Close()
	return plain.ReadDir(-1)
}

// stat describes a file; ok is false unless it is a regular file of the vault.
func (o *openFolder) stat(f *Folder, path vpath.Path, name string) (info store.Info, ok bool, err error) {
	var stat unix.Stat_t
	if err := retry(func() error { return unix.Fstatat(int(o.dir.Fd()), name, &stat, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
		return store.Info{}, false, err
	}
	return statInfo(path, &stat), f.isPlain(&stat), nil
}

// read reads a file into a buffer.
func (o *openFolder) read(f *Folder, path vpath.Path, name string, buffer []byte) ([]byte, store.Info, error) {
	fd := -1
	err := f.disk.do(disk.Call{Kind: "open", In: o.root, Name: name}, func() error {
		return retry(func() (err error) {
			fd, err = unix.Openat(int(o.dir.Fd()), name, openForReading|unix.O_CLOEXEC, 0)
			return err
		})
	})
	if err != nil {
		return nil, store.Info{}, err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return nil, store.Info{}, err
	}
	if !f.isPlain(&stat) {
		return nil, store.Info{}, fault.PermissionDenied.Errorf("%q is not a regular file", string(path))
	}
	if stat.Size > store.MaxScan {
		return nil, store.Info{}, syscall.EFBIG
	}
	if int64(cap(buffer)) <= stat.Size {
		buffer = make([]byte, stat.Size+stat.Size/4+4096)
	}
	data, err := readAll(fd, buffer[:cap(buffer)], stat.Size)
	info := statInfo(path, &stat)
	info.Created = birthOfOpen(fd)
	return data, info, err
}

// readAll reads until the file ends or size bytes are read.
func readAll(fd int, buffer []byte, size int64) ([]byte, error) {
	filled := 0
	for {
		n := 0
		err := retry(func() (err error) {
			n, err = unix.Read(fd, buffer[filled:])
			return err
		})
		if err != nil {
			return nil, err
		}
		filled += n
		switch {
		case n == 0, int64(filled) == size:
			return buffer[:filled], nil
		case filled > store.MaxScan:
			return nil, syscall.EFBIG
		case filled == len(buffer):
			buffer = append(buffer, make([]byte, len(buffer))...)
		}
	}
}

func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

func (f *Folder) isPlain(stat *unix.Stat_t) bool {
	return stat.Mode&unix.S_IFMT == unix.S_IFREG && uint64(stat.Dev) == f.device
}

func statInfo(path vpath.Path, stat *unix.Stat_t) store.Info {
	modified, touched := statTimes(stat)
	return store.Info{
		Path: path, Size: stat.Size, Modified: time.Unix(0, modified),
		Mark: markFrom(stat.Size, modified, stat.Ino, touched),
	}
}
