//go:build linux || darwin

package audit

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const openFlags = unix.O_NONBLOCK | unix.O_NOFOLLOW

// othersWrite are the bits of a mode that let others write.
const othersWrite = 0o022

// tryLock takes the lock unless another holds it.
func tryLock(file *os.File) (held bool, err error) {
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}

func unlock(file *os.File) { _ = unix.Flock(int(file.Fd()), unix.LOCK_UN) }

// syncFolder makes the names in a folder durable.
func syncFolder(name string) error {
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	err = dir.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // a file system that keeps names safe by itself, or cannot
	}
	return err
}
