//go:build !amd64

package md

// classifyBlocks makes a word of each bitmap for every 64 bytes of src.
func classifyBlocks(src []byte, ends, marks []uint64) { classifyEach(src, ends, marks) }
