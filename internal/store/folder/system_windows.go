package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"obsidian-mcp/internal/system"
)

const openForReading = os.O_RDONLY

func deviceOf(fs.FileInfo) uint64 { return 0 } // os.Root follows no junctions, and a folder says nothing about its drive

// keepAttributes gives a new file the attribute read-only of the one that it replaces. Permissions come from the folder.
func keepAttributes(to, _ *os.File, old fs.FileInfo) error { return to.Chmod(old.Mode()) }

func birthOf(info fs.FileInfo) (time.Time, bool) {
	if data, ok := info.Sys().(*syscall.Win32FileAttributeData); ok {
		return time.Unix(0, data.CreationTime.Nanoseconds()), true
	}
	return time.Time{}, false
}

// birthAt has nothing to add to birthOf.
func birthAt(*os.Root, string) time.Time { return time.Time{} }

// setBirth sets the creation time of a file.
func setBirth(file *os.File, birth time.Time) {
	created := windows.NsecToFiletime(birth.UnixNano())
	_ = windows.SetFileTime(windows.Handle(file.Fd()), &created, nil, nil)
}

// exchange would swap two names in a folder atomically.
func exchange(*os.Root, string, string) error { return errors.ErrUnsupported }

// remoteType is not empty if changes in a folder must be polled for: network drives may not report them.
func remoteType(dir string) string {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	if err == nil && windows.GetDriveType(root) == windows.DRIVE_REMOTE {
		return "network drive"
	}
	return ""
}

// beingWritten reports whether another program has a file open for writing. In that case, and only then, Windows refuses
// to open it for a reader that does not want to share it with writers.
func beingWritten(in *os.Root, name string) bool {
	dir, err := in.Open(".")
	if err != nil {
		return false
	}
	defer dir.Close()
	base, err := windows.NewNTUnicodeString(name)
	if err != nil {
		return false
	}
	attributes := &windows.OBJECT_ATTRIBUTES{RootDirectory: windows.Handle(dir.Fd()), ObjectName: base, Attributes: windows.OBJ_CASE_INSENSITIVE}
	attributes.Length = uint32(unsafe.Sizeof(*attributes))
	var handle windows.Handle
	err = windows.NtCreateFile(&handle, windows.FILE_READ_DATA|windows.SYNCHRONIZE, attributes, &windows.IO_STATUS_BLOCK{}, nil, 0,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_DELETE, windows.FILE_OPEN,
		windows.FILE_OPEN_REPARSE_POINT|windows.FILE_SYNCHRONOUS_IO_NONALERT, 0, 0)
	if err == nil {
		_ = windows.CloseHandle(handle)
		return false
	}
	status, ok := errors.AsType[windows.NTStatus](err)
	return ok && system.IsBusy(status.Errno())
}
