package history

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes the lock unless another process has it. Closing the file frees
// it.
func tryLock(file *os.File) (held bool, err error) {
	var all windows.Overlapped
	err = windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &all)
	if err == nil || errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return err == nil, nil
	}
	return false, err
}

// syncNames does nothing: names are durable with their files, or nothing can
// make them so.
func syncNames(*os.File) error { return nil }
