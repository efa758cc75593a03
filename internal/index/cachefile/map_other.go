//go:build !unix

package cachefile

import (
	"io"
	"os"
)

// mapFile reads a file into memory. It does not map it, because on this system a mapped file cannot be replaced.
func mapFile(file *os.File, size int) (data []byte, free func(), err error) {
	data = make([]byte, size)
	_, err = io.ReadFull(file, data)
	return data, func() {}, err
}
