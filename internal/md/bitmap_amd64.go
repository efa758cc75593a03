package md

import "unsafe"

// classifyBlocks makes a word of each bitmap for every 64 bytes of src.
func classifyBlocks(src []byte, ends, marks []uint64) {
	classifySSE2(unsafe.SliceData(src), len(ends), unsafe.SliceData(ends), unsafe.SliceData(marks))
}

// classifySSE2 is classifyBlocks with the instructions that every amd64
// processor has: sixteen bytes are compared at once.
//
//go:noescape
func classifySSE2(src *byte, blocks int, ends, marks *uint64)
