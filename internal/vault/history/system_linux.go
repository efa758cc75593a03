package history

import (
	"os"
	"syscall"
)

// syncData makes a file's bytes and length durable, but not its times.
func syncData(file *os.File) error {
	for {
		if err := syscall.Fdatasync(int(file.Fd())); err != syscall.EINTR {
			return err
		}
	}
}
