package app

import (
	"errors"
	"runtime"
	"slices"
	"syscall"
)

// awayErrors are what systems say of a drive that was there and is gone: a
// network mount whose server is away, a FUSE mount whose program has ended, a
// disk that was pulled out.
var awayErrors = []syscall.Errno{
	syscall.ENOTCONN, syscall.EIO, syscall.ESTALE, syscall.EHOSTDOWN, syscall.EHOSTUNREACH,
	syscall.ENETDOWN, syscall.ENETUNREACH, syscall.ETIMEDOUT, syscall.ECONNABORTED, syscall.ENODEV, syscall.ENXIO,
}

// awayOnWindows are the same in Windows' own numbers: not ready, bad network
// path, unexpected network error, network name deleted, bad network name,
// timeout of a semaphore, network location cannot be reached, no such device.
var awayOnWindows = []syscall.Errno{21, 53, 59, 64, 67, 121, 433, 1231}

// isAway reports an error that says that a drive is gone for now.
func isAway(err error) bool { return isAwayOn(runtime.GOOS, err) }

func isAwayOn(system string, err error) bool {
	number, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		return false
	}
	return slices.Contains(awayErrors, number) || system == "windows" && slices.Contains(awayOnWindows, number)
}
