//go:build unix

package system

import (
	"os"

	"golang.org/x/sys/unix"
)

// MapFile maps a file into memory. The data must not be used after free was called.
func MapFile(file *os.File, size int) (data []byte, free func(), err error) {
	data, err = unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	return data, func() { _ = unix.Munmap(data) }, nil
}
