// Package system holds the few things about files that operating systems do differently or that the standard library
// leaves out: locks between processes, names that survive a power cut, and whether a folder is private to its user.
//
// Package disk below it routes the system calls of a package through one place, so that tests can make them fail.
package system

import "os"

// SyncFolder makes the names in a folder durable.
func SyncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	defer folder.Close()
	return SyncNames(folder)
}

// Exists reports whether there is a file or folder of this name that can be reached. It follows symbolic links.
func Exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// SameFile reports whether two names lead to the same file or folder. Names of missing files never do.
func SameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
