package folder

import (
	"io/fs"
	"syscall"
	"time"
)

func birthOf(info fs.FileInfo) (time.Time, bool) {
	if data, ok := info.Sys().(*syscall.Win32FileAttributeData); ok {
		return time.Unix(0, data.CreationTime.Nanoseconds()), true
	}
	return time.Time{}, false
}
