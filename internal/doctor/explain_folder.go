package doctor

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"syscall"

	"obsidian-mcp/internal/fault"
)

// ErrSilent is the error for a folder on a drive that does not answer.
var ErrSilent = fault.StoreUnavailable.Errorf("the vault's folder does not answer").WithHint("%s", driveHint)

const driveHint = "is it on a network drive or an unplugged disk? Bring that back; calls work again as soon as it answers"

// ExplainFolder says why a vault's folder cannot be opened.
func ExplainFolder(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.VaultNotFound.Errorf("there is no such folder").
			WithHint("correct the path; obsidian-mcp install finds the vaults that Obsidian knows")
	case errors.Is(err, fs.ErrPermission):
		return fault.VaultNotFound.Errorf("this user may not open the folder").
			WithHint("change the folder's owner or mode, or run as the user who owns it")
	case isAway(runtime.GOOS, err):
		return fault.StoreUnavailable.Errorf("the vault's folder cannot be reached: %w", withoutPath(err)).
			WithHint("%s", driveHint)
	case fault.KindOf(err) == fault.VaultNotFound:
		return fault.VaultNotFound.Errorf("%w", err).WithHint("name the folder that holds the notes")
	}
	return fault.VaultNotFound.Errorf("the vault's folder cannot be opened: %w", withoutPath(err)).
		WithHint("obsidian-mcp doctor looks closer")
}

// ExplainCall says that a call failed because the drive is gone, if the system says so. An I/O error may be one
// damaged spot of a disk, and not the whole drive.
func ExplainCall(err error) error {
	if !errors.Is(err, fault.StoreUnavailable) || !isAway(runtime.GOOS, err) || errors.Is(err, syscall.EIO) {
		return err
	}
	return ExplainFolder(err)
}

// withoutPath is the system's own error, without the path that it carries.
func withoutPath(err error) error {
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number
	}
	return err
}

// awayErrors are what systems say about a drive that was there and is gone: a network mount whose server is away, a
// FUSE mount whose program has ended, a disk that was pulled out.
var awayErrors = []syscall.Errno{
	syscall.ENOTCONN, syscall.EIO, syscall.ESTALE, syscall.EHOSTDOWN, syscall.EHOSTUNREACH,
	syscall.ENETDOWN, syscall.ENETUNREACH, syscall.ETIMEDOUT, syscall.ECONNABORTED, syscall.ENODEV, syscall.ENXIO,
}

// awayOnWindows are the same in Windows' own numbers: not ready, bad network path, unexpected network error, network
// name deleted, bad network name, semaphore timeout, network location cannot be reached, no such device.
var awayOnWindows = []syscall.Errno{21, 53, 59, 64, 67, 121, 433, 1231}

// isAway reports whether an error says that a drive is gone for now.
func isAway(system string, err error) bool {
	number, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		return false
	}
	return slices.Contains(awayErrors, number) || system == "windows" && slices.Contains(awayOnWindows, number)
}

// CheckFolder says why a folder cannot be opened as a vault. It does not open the vault, which would finish or undo an
// interrupted write.
func CheckFolder(dir string) error {
	_, err := inTime(func() (struct{}, error) {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			err = fault.VaultNotFound.Errorf("%s is not a folder", dir)
		}
		if err == nil {
			err = tryOpening(dir)
		}
		if err != nil {
			err = ExplainFolder(err)
		}
		return struct{}{}, err
	})
	if err != nil && fault.KindOf(err) == fault.Internal {
		return ErrSilent // the folder did not answer in time
	}
	return err
}

func tryOpening(dir string) error {
	opened, err := os.Open(dir)
	if err != nil {
		return err
	}
	return opened.Close()
}
