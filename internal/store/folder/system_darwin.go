package folder

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func birthOf(info fs.FileInfo) (time.Time, bool) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(stat.Birthtimespec.Unix()), true
	}
	return time.Time{}, false
}

// birthOfOpen is when an open file was created.
func birthOfOpen(fd int) time.Time {
	var stat unix.Stat_t
	if unix.Fstat(fd, &stat) != nil {
		return time.Time{}
	}
	return time.Unix(stat.Btim.Unix())
}

// setBirth sets the creation time of a file: setting a modification time before it moves the creation time back too.
func setBirth(file *os.File, birth time.Time) {
	for _, when := range []time.Time{birth, time.Now()} {
		times := []unix.Timeval{unix.NsecToTimeval(when.UnixNano()), unix.NsecToTimeval(when.UnixNano())}
		if unix.Futimes(int(file.Fd()), times) != nil {
			return
		}
	}
}

// remoteType names the file system of a folder if changes in it must be polled for, and is empty otherwise.
func remoteType(dir string) string {
	var stat unix.Statfs_t
	if unix.Statfs(dir, &stat) != nil {
		return ""
	}
	switch name := unix.ByteSliceToString(stat.Fstypename[:]); name {
	case "nfs", "smbfs", "afpfs", "webdav", "osxfuse", "macfuse":
		return name
	}
	return ""
}

// statTimes returns the modification time and the change time of a file.
func statTimes(stat *unix.Stat_t) (modified, touched int64) {
	return stat.Mtim.Nano(), stat.Ctim.Nano()
}

// exchange swaps two names in a folder atomically.
func exchange(in *os.Root, a, b string) error {
	dir, err := in.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	err = unix.RenameatxNp(int(dir.Fd()), a, int(dir.Fd()), b, unix.RENAME_SWAP)
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EINVAL) {
		return errors.ErrUnsupported
	}
	return err
}
