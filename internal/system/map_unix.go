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

// Unload tells the system that part of a mapped file is not needed soon. The memory stays readable.
func Unload(mapped []byte, start, end int) {
	page := os.Getpagesize()
	start, end = (start+page-1)/page*page, end/page*page
	if start < end {
		_ = unix.Madvise(mapped[start:end], unix.MADV_DONTNEED)
	}
}
