//go:build !linux && !darwin

package folder

import (
	"io/fs"
	"os"
	"time"
)

const openForReading = os.O_RDONLY

func deviceOf(fs.FileInfo) uint64                          { return 0 }
func setBirth(*os.File, time.Time)                         {}
func remoteType(string) string                             { return "" }
func keepAttributes(to, _ *os.File, old fs.FileInfo) error { return to.Chmod(old.Mode()) }
