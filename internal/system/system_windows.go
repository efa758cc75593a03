package system

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// afterAll is an offset beyond the content of any file: locking a byte of the content would keep others from reading it.
func afterAll() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

// TryLock takes the lock of a file unless somebody else holds it. Closing the file releases it.
func TryLock(file *os.File) (held bool, err error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, afterAll())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// Unlock releases the lock of a file that stays open.
func Unlock(file *os.File) {
	_ = windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, afterAll())
}

// IsPrivate reports whether name is a folder: on Windows, each user has their own folder for temporary files.
func IsPrivate(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.IsDir()
}

// SyncNames does nothing: names become durable together with their files, and folders cannot be synced.
func SyncNames(*os.File) error { return nil }
