//go:build !windows && (!unix || solaris || illumos || aix)

package system

import "os"

// TryLock keeps nobody away but this process' own order.
func TryLock(*os.File) (held bool, err error) { return true, nil }

// Unlock has nothing to free.
func Unlock(*os.File) {}

// IsPrivate is never known here.
func IsPrivate(string) bool { return false }

// SyncNames makes the names in a folder durable, where it can.
func SyncNames(folder *os.File) error { return folder.Sync() }
