//go:build !windows && (!unix || solaris || illumos || aix)

package system

import "os"

// TryLock always succeeds, and excludes nobody.
func TryLock(*os.File) (held bool, err error) { return true, nil }

// Unlock has nothing to release.
func Unlock(*os.File) {}

// IsPrivate is false, because this system does not say.
func IsPrivate(string) bool { return false }

// SyncNames makes the names in a folder durable, if the system can.
func SyncNames(folder *os.File) error { return folder.Sync() }
