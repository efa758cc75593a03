//go:build !unix

package clients

import (
	"io/fs"
	"os"
)

// keepOwner has nothing to do: the folder says whose its files are.
func keepOwner(*os.File, fs.FileInfo) {}

// mayWrite leaves it to the system to refuse.
func mayWrite(string) bool { return true }

// hasOtherNames is not known here.
func hasOtherNames(fs.FileInfo) bool { return false }

// isOthers is not known here.
func isOthers(fs.FileInfo) bool { return false }
