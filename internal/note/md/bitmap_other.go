//go:build !amd64

package md

// classifyBlocks makes a word of each bitmap for every 64 bytes of src.
func classifyBlocks(src []byte, ends, marks []uint64) { classifyEach(src, ends, marks) }

// classifyOld is what classifyBlocks does on old processors of a kind.
func classifyOld(src []byte, ends, marks []uint64) { classifyEach(src, ends, marks) }
