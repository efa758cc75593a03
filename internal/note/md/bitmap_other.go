//go:build !amd64

package md

// classifyBlocks sets one word of each bitmap for every 64 bytes of src.
func classifyBlocks(src []byte, ends, marks []uint64) { classifyEach(src, ends, marks) }

// classifyOld is classifyBlocks; only amd64 has a second form for older processors.
func classifyOld(src []byte, ends, marks []uint64) { classifyEach(src, ends, marks) }
