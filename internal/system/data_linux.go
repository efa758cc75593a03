package system

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// UnloadData tells the system that a constant of the program is not needed soon. It stays readable: the system reads it from the
// program's file again.
func UnloadData(data string) {
	page := uintptr(os.Getpagesize())
	start := uintptr(unsafe.Pointer(unsafe.StringData(data)))
	before := (page - start%page) % page // up to the first page that has nothing else
	if size := uintptr(len(data)); size >= before+page {
		whole := (size - before) / page * page
		_ = unix.Madvise(unsafe.Slice(unsafe.StringData(data[before:]), whole), unix.MADV_DONTNEED)
	}
}
