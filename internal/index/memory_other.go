//go:build !unix

package index

// mapPages returns nil: on this system sections are on the heap.
func mapPages(int) (data []byte, free func()) { return nil, nil }
