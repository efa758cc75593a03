//go:build !linux && !darwin && !windows

package folder

import (
	"io/fs"
	"time"
)

func birthOf(fs.FileInfo) (time.Time, bool) { return time.Time{}, false }
