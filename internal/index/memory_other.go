//go:build !unix

package index

// pages gives no memory: the heap has to do.
func pages(int) (data []byte, free func()) { return nil, nil }
