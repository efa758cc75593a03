package system

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

// IsBusy reports whether another program keeps a file from being opened.
func IsBusy(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}

// isHeld reports whether another program may keep a file's name from being changed: Windows then denies access, as it
// does for good where a permission is missing.
func isHeld(err error) bool { return IsBusy(err) || errors.Is(err, windows.ERROR_ACCESS_DENIED) }

// removeIn removes a file or an empty folder. os.Root asks for a removal that also works while others
// have the file open; some network and third-party file systems do not know that request, so removeIn then asks for the
// plain one.
func removeIn(in *os.Root, name string) error {
	err := in.Remove(name)
	if !errors.Is(err, windows.ERROR_INVALID_FUNCTION) {
		return err
	}
	folder, err := in.OpenRoot(path.Dir(name))
	if err != nil {
		return err
	}
	defer folder.Close()
	dir, err := folder.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	return removePlainly(dir, path.Base(name))
}

func removePlainly(dir *os.File, name string) error {
	base, err := windows.NewNTUnicodeString(name)
	if err != nil {
		return err
	}
	attributes := &windows.OBJECT_ATTRIBUTES{RootDirectory: windows.Handle(dir.Fd()), ObjectName: base, Attributes: windows.OBJ_CASE_INSENSITIVE}
	attributes.Length = uint32(unsafe.Sizeof(*attributes))
	const options = windows.FILE_OPEN_REPARSE_POINT | windows.FILE_OPEN_FOR_BACKUP_INTENT | windows.FILE_SYNCHRONOUS_IO_NONALERT
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	var handle windows.Handle
	err = windows.NtCreateFile(&handle, windows.DELETE|windows.SYNCHRONIZE, attributes, &windows.IO_STATUS_BLOCK{}, nil, 0,
		share, windows.FILE_OPEN, options, 0, 0)
	if err != nil {
		return errnoOf(err)
	}
	defer windows.CloseHandle(handle)
	remove := byte(1)
	return errnoOf(windows.NtSetInformationFile(handle, &windows.IO_STATUS_BLOCK{}, &remove, 1, windows.FileDispositionInformation))
}

// errnoOf turns a status of the kernel into the error that programs know.
func errnoOf(err error) error {
	if status, ok := errors.AsType[windows.NTStatus](err); ok {
		return status.Errno()
	}
	return err
}

// OpenFile is os.OpenFile for a file that others may rename and remove while it is open, as on other systems.
func OpenFile(name string, flags int, mode os.FileMode) (*os.File, error) {
	in, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.OpenFile(filepath.Base(name), flags, mode)
}
