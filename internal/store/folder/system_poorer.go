//go:build !linux

package folder

import (
	"errors"
	"os"
	"time"
)

// exchange swaps the files of two names in a folder, in one step.
func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }

// beingWritten reports that another program has a file open for writing, where
// the system can tell.
func beingWritten(*os.Root, string) bool { return false }

// birthAt has nothing to add to what birthOf tells.
func birthAt(*os.Root, string) time.Time { return time.Time{} }
