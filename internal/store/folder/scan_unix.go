//go:build linux || darwin

package folder

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system/disk"
)

// A scan visits every file of a vault, and would spend most of its time in os.File and fs.FileInfo. This file makes the
// system calls directly. That is safe: a name without a slash in an open folder, with links not followed, cannot lead
// anywhere else.

// handle is an open folder of the vault.
type handle struct{ fd int }

func (h handle) close() { unix.Close(h.fd) }

// openTop opens the vault's own folder.
func (f *Folder) openTop() (handle, error) {
	top, err := f.root.Open(".")
	if err != nil {
		return handle{}, f.explain("", err)
	}
	defer top.Close()
	fd, err := unix.FcntlInt(top.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return handle{}, f.explain("", err)
	}
	return handle{fd}, nil
}

// openBelow opens a folder in the open one that it is in.
func (f *Folder) openBelow(above handle, path vpath.Path) (handle, error) {
	fd := -1
	err := retry(func() (err error) {
		fd, err = unix.Openat(above.fd, path.Base(), openForReading|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		return err
	})
	if err == unix.ENOTDIR || err == unix.ELOOP {
		return handle{}, notAFolder(string(path))
	}
	if err != nil {
		return handle{}, f.explain(path, err)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		unix.Close(fd)
		return handle{}, f.explain(path, err)
	}
	if uint64(stat.Dev) != f.device {
		unix.Close(fd)
		return handle{}, mounted(string(path))
	}
	return handle{fd}, nil
}

// fileState is what the system says about a file.
type fileState struct{ unix.Stat_t }

func (h handle) stat(name string) (state fileState, err error) {
	err = retry(func() error { return unix.Fstatat(h.fd, name, &state.Stat_t, unix.AT_SYMLINK_NOFOLLOW) })
	return state, err
}

// isPlain reports whether it is a regular file of the vault.
func (s *fileState) isPlain(f *Folder) bool {
	return s.Mode&unix.S_IFMT == unix.S_IFREG && uint64(s.Dev) == f.device
}

func (s *fileState) appendMark(mark []byte) []byte {
	modified, touched := statTimes(&s.Stat_t)
	return appendMark(mark, s.Size, modified, s.Ino, touched)
}

func (s *fileState) info(path vpath.Path) store.Info {
	modified, _ := statTimes(&s.Stat_t)
	return store.Info{Path: path, Size: s.Size, Modified: time.Unix(0, modified), Mark: string(s.appendMark(nil))}
}

// readIn reads a file of an open folder into a buffer.
func (f *Folder) readIn(in handle, path vpath.Path, name string, buffer []byte) ([]byte, store.Info, error) {
	fd := -1
	err := f.disk.do(disk.Call{Kind: "open", Name: name}, func() error {
		return retry(func() (err error) {
			fd, err = unix.Openat(in.fd, name, openForReading|unix.O_CLOEXEC, 0)
			return err
		})
	})
	if err != nil {
		return nil, store.Info{}, err
	}
	defer unix.Close(fd)
	var state fileState
	if err := unix.Fstat(fd, &state.Stat_t); err != nil {
		return nil, store.Info{}, err
	}
	if !state.isPlain(f) {
		return nil, store.Info{}, fault.PermissionDenied.Errorf("%q is not a regular file", string(path))
	}
	if state.Size > store.MaxScan {
		return nil, store.Info{}, syscall.EFBIG
	}
	if int64(cap(buffer)) <= state.Size {
		buffer = make([]byte, state.Size+state.Size/4+4096)
	}
	data, err := readAll(fd, buffer[:cap(buffer)], state.Size)
	info := state.info(path)
	info.Created = birthOfOpen(fd)
	return data, info, err
}

// readAll reads until the file ends or size bytes are read.
func readAll(fd int, buffer []byte, size int64) ([]byte, error) {
	filled := 0
	for {
		n := 0
		err := retry(func() (err error) {
			n, err = unix.Read(fd, buffer[filled:])
			return err
		})
		if err != nil {
			return nil, err
		}
		filled += n
		switch {
		case n == 0, int64(filled) == size:
			return buffer[:filled], nil
		case filled > store.MaxScan:
			return nil, syscall.EFBIG
		case filled == len(buffer):
			buffer = append(buffer, make([]byte, len(buffer))...)
		}
	}
}

func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
