//go:build unix && !solaris && !illumos && !aix

package system

import (
	"errors"
	"os"
	"syscall"
)

// TryLock takes the lock of a file unless another process, or another opening
// of it, holds it. Closing the file frees it. A file system without locks keeps
// nobody away.
func TryLock(file *os.File) (held bool, err error) {
	switch err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return false, nil
	case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOTSUP):
		return true, nil
	}
	return err == nil, err
}

// Unlock frees the lock of a file that stays open.
func Unlock(file *os.File) { _ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }

// IsPrivate reports whether a folder is one, belongs to this user, and is open
// to no other.
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
		return nil // a file system that keeps names safe by itself, or cannot
	}
	return err
}
