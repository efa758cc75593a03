//go:build !unix

package system

import (
	"io"
	"os"
)

// MapFile reads a file into memory. It does not map it, because on this system a mapped file cannot be replaced.
func MapFile(file *os.File, size int) (data []byte, free func(), err error) {
	data = make([]byte, size)
	_, err = io.ReadFull(io.NewSectionReader(file, 0, int64(size)), data)
	return data, func() {}, err
}

// Unload does nothing.
func Unload([]byte, int, int) {}
