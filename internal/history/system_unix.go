//go:build unix && !solaris && !illumos && !aix

package history

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock unless somebody else has it. Closing the file frees
// it.
func tryLock(file *os.File) (held bool, err error) {
	switch err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return false, nil
	case errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.ENOTSUP):
		return true, nil // a file system without locks: only this process' own order is left
	}
	return err == nil, err
}

func syncNames(folder *os.File) error { return folder.Sync() }
