package history

import (
	"os"
	"syscall"
)

// syncData has the disk keep a file's bytes and length, but not its times.
func syncData(file *os.File) error {
	for {
		if err := syscall.Fdatasync(int(file.Fd())); err != syscall.EINTR {
			return err
		}
	}
}
