// Package floor does the least that any program must do, directly with system calls: walk a vault, stat it, read
// it, look at every byte, rewrite some of its files. No program that does such work can be faster.
package floor

import (
	"encoding/binary"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// Workers is the number of goroutines of a pass: one for each core of the smallest machine that is measured.
const Workers = 2

// Walk lists all folders with getdents and returns the number of files.
func Walk(dir string) (int, error) { return pass(dir, func(int, []byte) error { return nil }) }

// Stat lists all folders and stats every file.
func Stat(dir string) (int, error) {
	return pass(dir, func(folder int, name []byte) error {
		var state unix.Stat_t
		return unix.Fstatat(folder, string(name), &state, unix.AT_SYMLINK_NOFOLLOW)
	})
}

// pass calls a function with every file, on Workers goroutines that take folders from a shared stack.
func pass(dir string, file func(folder int, name []byte) error) (int, error) {
	todo := folders{open: []string{dir}}
	todo.wake.L = &todo.mu
	var crew sync.WaitGroup
	for range Workers {
		crew.Go(func() {
			buffer := make([]byte, 64<<10)
			for folder, more := todo.take(); more; folder, more = todo.take() {
				below, files, err := list(folder, buffer, file)
				todo.done(below, files, err)
			}
		})
	}
	crew.Wait()
	return todo.files, todo.err
}

// folders are the folders that are still to be listed.
type folders struct {
	mu    sync.Mutex // guards all below
	wake  sync.Cond
	open  []string
	busy  int
	files int
	err   error
}

func (f *folders) take() (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.open) == 0 && f.busy > 0 {
		f.wake.Wait()
	}
	if len(f.open) == 0 {
		return "", false
	}
	last := f.open[len(f.open)-1]
	f.open = f.open[:len(f.open)-1]
	f.busy++
	return last, true
}

func (f *folders) done(below []string, files int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open = append(f.open, below...)
	f.files += files
	f.busy--
	if err != nil && f.err == nil {
		f.err = err
	}
	f.wake.Broadcast()
}

// list reads the entries of a folder as the kernel writes them.
func list(dir string, buffer []byte, file func(folder int, name []byte) error) (below []string, files int, err error) {
	folder, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, 0, err
	}
	defer unix.Close(folder)
	for {
		size, err := unix.Getdents(folder, buffer)
		if err != nil || size == 0 {
			return below, files, err
		}
		for rest := buffer[:size]; len(rest) > 0; {
			length, kind, name := entry(rest)
			rest = rest[length:]
			switch {
			case kind == unix.DT_DIR && string(name) != "." && string(name) != "..":
				below = append(below, filepath.Join(dir, string(name)))
			case kind == unix.DT_REG:
				files++
				if err := file(folder, name); err != nil {
					return below, files, err
				}
			}
		}
	}
}

// entry decodes a struct linux_dirent64: inode, offset, length, kind, name.
func entry(raw []byte) (length int, kind byte, name []byte) {
	length = int(binary.NativeEndian.Uint16(raw[16:]))
	name = raw[19:length]
	for i, c := range name {
		if c == 0 {
			return length, raw[18], name[:i]
		}
	}
	return length, raw[18], name
}
