package system

import (
	"io/fs"
	"syscall"
)

// Identity returns the number of a file on its disk, and when its content or its properties last changed, which no program
// can set back. Both are 0 where the system does not say.
func Identity(info fs.FileInfo) (inode uint64, changed int64) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino, stat.Ctimespec.Nano()
	}
	return 0, 0
}
