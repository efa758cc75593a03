package system

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// UnloadData releases the memory of a constant that is part of the program's file. The constant stays readable: the system loads it
// from the file again when it is used. It must not be called with any other string.
func UnloadData(data string) {
	page := uintptr(os.Getpagesize())
	start := uintptr(unsafe.Pointer(unsafe.StringData(data)))
	before := (page - start%page) % page // bytes before the first page that only the constant uses
	if size := uintptr(len(data)); size >= before+page {
		whole := (size - before) / page * page
		_ = unix.Madvise(unsafe.Slice(unsafe.StringData(data[before:]), whole), unix.MADV_DONTNEED)
	}
}
