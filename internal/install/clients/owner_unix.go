//go:build unix

package clients

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner of another, if the process may: after sudo, a person's files stay theirs.
func keepOwner(file *os.File, other fs.FileInfo) {
	if owner, ok := other.Sys().(*syscall.Stat_t); ok {
		_ = file.Chown(int(owner.Uid), int(owner.Gid))
	}
}

// mayWrite reports whether the user may write to a file or folder.
func mayWrite(name string) bool {
	const writing = 2
	err := syscall.Access(name, writing)
	return !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS)
}

// hasOtherNames reports whether a file has other hard links.
func hasOtherNames(info fs.FileInfo) bool {
	found, ok := info.Sys().(*syscall.Stat_t)
	return ok && found.Nlink > 1
}

// isOthers reports whether a file belongs to another user, and the process cannot give its replacement to that user.
func isOthers(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && os.Geteuid() != 0 && int(owner.Uid) != os.Geteuid()
}
