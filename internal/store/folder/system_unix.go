//go:build linux || darwin

package folder

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const openForReading = os.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW

func deviceOf(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Dev)
	}
	return 0
}

// keepAttributes gives a new file the mode, owner and extended attributes of the one that it replaces, as far as the
// system allows.
func keepAttributes(to, from *os.File, old fs.FileInfo) error {
	var problems error
	if stat, ok := old.Sys().(*syscall.Stat_t); ok {
		if now, err := to.Stat(); err == nil {
			if mine, ok := now.Sys().(*syscall.Stat_t); ok && (mine.Uid != stat.Uid || mine.Gid != stat.Gid) {
				problems = to.Chown(int(stat.Uid), int(stat.Gid))
			}
		}
	}
	return errors.Join(problems, to.Chmod(old.Mode()), copyAttributes(to, from))
}

func copyAttributes(to, from *os.File) error {
	size, err := unix.Flistxattr(int(from.Fd()), nil)
	if err != nil || size == 0 {
		return nil // the file has none, or the file system does not support them
	}
	names := make([]byte, size)
	if size, err = unix.Flistxattr(int(from.Fd()), names); err != nil {
		return err
	}
	var problems error
	for len(names) > 0 && size > 0 {
		name := unix.ByteSliceToString(names)
		names = names[min(len(name)+1, len(names)):]
		if name == "" {
			continue
		}
		problems = errors.Join(problems, copyAttribute(to, from, name))
	}
	return problems
}

func copyAttribute(to, from *os.File, name string) error {
	size, err := unix.Fgetxattr(int(from.Fd()), name, nil)
	if err != nil {
		return err
	}
	value := make([]byte, size)
	if size > 0 {
		if size, err = unix.Fgetxattr(int(from.Fd()), name, value); err != nil {
			return err
		}
	}
	return unix.Fsetxattr(int(to.Fd()), name, value[:size], 0)
}
