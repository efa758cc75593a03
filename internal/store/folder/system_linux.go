package folder

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// birthOf would return when a file was created, but on Linux a plain stat does not say, and nobody can set it.
func birthOf(fs.FileInfo) (time.Time, bool) { return time.Time{}, false }

func setBirth(*os.File, time.Time) {}

// birthAt returns when a file was created, which birthOf cannot.
func birthAt(in *os.Root, name string) time.Time {
	dir, err := in.Open(".")
	if err != nil {
		return time.Time{}
	}
	defer dir.Close()
	return statBirth(int(dir.Fd()), name, unix.AT_SYMLINK_NOFOLLOW)
}

// birthOfOpen is when an open file was created.
func birthOfOpen(fd int) time.Time { return statBirth(fd, "", unix.AT_EMPTY_PATH) }

// statBirth returns the zero time if the system or the file system does not know.
func statBirth(fd int, name string, flags int) time.Time {
	var stat unix.Statx_t
	if unix.Statx(fd, name, flags, unix.STATX_BTIME, &stat) != nil || stat.Mask&unix.STATX_BTIME == 0 {
		return time.Time{}
	}
	return time.Unix(stat.Btime.Sec, int64(stat.Btime.Nsec))
}

// remote lists the file systems that do not report changes by other machines.
var remote = map[int64]string{
	unix.NFS_SUPER_MAGIC: "nfs", unix.SMB_SUPER_MAGIC: "smb", unix.SMB2_SUPER_MAGIC: "smb2", unix.CIFS_SUPER_MAGIC: "cifs",
	unix.FUSE_SUPER_MAGIC: "fuse", unix.V9FS_MAGIC: "9p", unix.AFS_SUPER_MAGIC: "afs", unix.CODA_SUPER_MAGIC: "coda",
	unix.CEPH_SUPER_MAGIC: "ceph", 0x786f4256: "vboxsf",
}

// remoteType names the file system of a folder if changes in it must be polled for, and is empty otherwise.
func remoteType(dir string) string {
	var stat unix.Statfs_t
	if unix.Statfs(dir, &stat) != nil {
		return ""
	}
	return remote[int64(stat.Type)]
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
	err = unix.Renameat2(int(dir.Fd()), a, int(dir.Fd()), b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		return errors.ErrUnsupported
	}
	return err
}

// beingWritten reports whether another program has a file open for writing. In that case, and only then, the system
// refuses a read lease with EAGAIN.
func beingWritten(in *os.Root, name string) bool {
	file, err := in.OpenFile(name, openForReading, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	_, err = unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		_, _ = unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	}
	return errors.Is(err, unix.EAGAIN)
}
