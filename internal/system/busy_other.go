//go:build !windows

package system

import "os"

// IsBusy reports whether another program keeps a file from being opened. Only Windows lets programs do so.
func IsBusy(error) bool { return false }

func isHeld(error) bool { return false }

func removeIn(in *os.Root, name string) error { return in.Remove(name) }

// OpenFile is os.OpenFile for a file that others may rename and remove while it is open.
func OpenFile(name string, flags int, mode os.FileMode) (*os.File, error) {
	return os.OpenFile(name, flags, mode)
}
