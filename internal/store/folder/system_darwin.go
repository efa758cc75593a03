package folder

import (
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func identity(info fs.FileInfo) (inode uint64, touched int64) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino, stat.Ctimespec.Nano()
	}
	return 0, 0
}

func birthOf(info fs.FileInfo) (time.Time, bool) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(stat.Birthtimespec.Unix()), true
	}
	return time.Time{}, false
}

// birthOfOpen is when an open file was made.
func birthOfOpen(fd int) time.Time {
	var stat unix.Stat_t
	if unix.Fstat(fd, &stat) != nil {
		return time.Time{}
	}
	return time.Unix(stat.Btim.Unix())
}

// keepBirth makes a new file as old as the one it replaces: a time of change
// before the time of birth draws the latter back with it.
func keepBirth(file *os.File, birth time.Time) {
	for _, when := range []time.Time{birth, time.Now()} {
		times := []unix.Timeval{unix.NsecToTimeval(when.UnixNano()), unix.NsecToTimeval(when.UnixNano())}
		if unix.Futimes(int(file.Fd()), times) != nil {
			return
		}
	}
}

// remoteType names the file system of a folder if it has to be polled.
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

// statTimes are when a file was changed and when it was last touched.
func statTimes(stat *unix.Stat_t) (modified, touched int64) {
	return stat.Mtim.Nano(), stat.Ctim.Nano()
}
