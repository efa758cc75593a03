//go:build !unix

package clients

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: files inherit their owner from the folder.
func keepOwner(*os.File, fs.FileInfo) {}

// mayWrite leaves the decision to the system, which refuses the write.
func mayWrite(string) bool { return true }

// hasOtherNames cannot tell on this system.
func hasOtherNames(fs.FileInfo) bool { return false }

// isOthers cannot tell on this system.
func isOthers(fs.FileInfo) bool { return false }
