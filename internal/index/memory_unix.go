//go:build unix

package index

import "golang.org/x/sys/unix"

// mapPages returns memory outside of the heap, or nil if the system refuses it.
func mapPages(size int) (data []byte, free func()) {
	data, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil
	}
	return data, func() { _ = unix.Munmap(data) }
}
