//go:build !unix

package cachefile

import (
	"io"
	"os"
)

// mapped reads a file into memory, where mapping it is not worth its dangers:
// a mapped file cannot be replaced.
func mapped(file *os.File, size int) (data []byte, free func(), err error) {
	data = make([]byte, size)
	_, err = io.ReadFull(file, data)
	return data, func() {}, err
}
