package md

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// classifyBlocks sets one word of each bitmap for every 64 bytes of src.
func classifyBlocks(src []byte, ends, marks []uint64) {
	if cpu.X86.HasAVX2 {
		classifyAVX2(unsafe.SliceData(src), len(ends), unsafe.SliceData(ends), unsafe.SliceData(marks))
	} else {
		classifyOld(src, ends, marks)
	}
}

// classifyOld is classifyBlocks for any amd64 processor.
func classifyOld(src []byte, ends, marks []uint64) {
	classifySSE2(unsafe.SliceData(src), len(ends), unsafe.SliceData(ends), unsafe.SliceData(marks))
}

// classifyAVX2 compares 32 bytes at once.
//
//go:noescape
func classifyAVX2(src *byte, blocks int, ends, marks *uint64)

// classifySSE2 compares 16 bytes at once.
//
//go:noescape
func classifySSE2(src *byte, blocks int, ends, marks *uint64)
