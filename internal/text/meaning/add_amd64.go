package meaning

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// addRow adds a row, multiplied by its scale, to a vector.
func addRow(row string, scale float32, into Vector) {
	if cpu.X86.HasAVX2 {
		addAVX2(unsafe.StringData(row[:rowSize]), scale, &into[:dimensions][0])
	} else {
		addEach(row, scale, into)
	}
}

// addAVX2 adds eight dimensions at once.
//
//go:noescape
func addAVX2(row *byte, scale float32, into *float32)
