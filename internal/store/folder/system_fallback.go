//go:build !linux && !windows

package folder

import (
	"os"
	"time"
)

// beingWritten would report whether another program has a file open for writing.
func beingWritten(*os.Root, string) bool { return false }

// birthAt has nothing to add to birthOf.
func birthAt(*os.Root, string) time.Time { return time.Time{} }
