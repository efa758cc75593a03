//go:build unix

package clients

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner of another, where one may: a person who runs
// the program by sudo keeps their files.
func keepOwner(file *os.File, of fs.FileInfo) {
	if owner, ok := of.Sys().(*syscall.Stat_t); ok {
		_ = file.Chown(int(owner.Uid), int(owner.Gid))
	}
}
