//go:build !linux

package folder

import (
	"errors"
	"os"
	"time"
)

// exchange would swap two names in a folder atomically.
func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }

// beingWritten would report whether another program has a file open for writing.
func beingWritten(*os.Root, string) bool { return false }

// birthAt has nothing to add to birthOf.
func birthAt(*os.Root, string) time.Time { return time.Time{} }
