//go:build !linux

package folder

import (
	"errors"
	"os"
)

// exchange swaps the files of two names in a folder, in one step.
func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }

// beingWritten reports that another program has a file open for writing, where
// the system can tell.
func beingWritten(*os.Root, string) bool { return false }
