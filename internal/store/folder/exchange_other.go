//go:build !linux

package folder

import (
	"errors"
	"os"
)

// exchange swaps the files of two names in a folder, in one step.
func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }
