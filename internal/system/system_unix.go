//go:build unix && !solaris && !illumos && !aix

package system

import (
	"errors"
	"os"
	"syscall"
)

// TryLock takes the lock of a file unless another process, or another open file of this one, holds it. Closing the file
// releases it. On a file system without locks, TryLock always succeeds and excludes nobody.
func TryLock(file *os.File) (held bool, err error) {
	switch err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return false, nil
	case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOTSUP):
		return true, nil
	}
	return err == nil, err
}

// Unlock releases the lock of a file that stays open.
func Unlock(file *os.File) { _ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }

// IsPrivate reports whether name is a folder that belongs to this user and that nobody else can use.
func IsPrivate(name string) bool {
	info, err := os.Lstat(name)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// SyncNames makes the names in a folder durable.
func SyncNames(folder *os.File) error {
	err := folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // the file system makes names durable by itself, or cannot
	}
	return err
}
