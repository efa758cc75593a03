//go:build !linux && !darwin && !windows

package folder

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

const openForReading = os.O_RDONLY

func deviceOf(fs.FileInfo) uint64                          { return 0 }
func birthOf(fs.FileInfo) (time.Time, bool)                { return time.Time{}, false }
func setBirth(*os.File, time.Time)                         {}
func remoteType(string) string                             { return "" }
func keepAttributes(to, _ *os.File, old fs.FileInfo) error { return to.Chmod(old.Mode()) }

// exchange would swap two names in a folder atomically.
func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }
