package system

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// afterAll is a place in a file that nobody writes to: a lock on bytes would
// keep others from reading them.
func afterAll() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

// TryLock takes the lock of a file unless another holds it. Closing the file
// frees it.
func TryLock(file *os.File) (held bool, err error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, afterAll())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// Unlock frees the lock of a file that stays open.
func Unlock(file *os.File) {
	_ = windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, afterAll())
}

// IsPrivate reports whether a folder is one: here temporary files have a folder
// for each user.
func IsPrivate(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.IsDir()
}

// SyncNames does nothing: names are durable with their files, or nothing can
// make them so.
func SyncNames(*os.File) error { return nil }
