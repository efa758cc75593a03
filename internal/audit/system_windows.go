package audit

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// afterAll is a place in the file that nobody writes to: a lock on bytes would
// keep others from reading them.
func afterAll() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }

// tryLock takes the lock unless another holds it.
func tryLock(file *os.File) (held bool, err error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, afterAll())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func unlock(file *os.File) {
	_ = windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, afterAll())
}
