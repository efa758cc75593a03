package folder

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// recordBuffers have room for the records of many entries.
var recordBuffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// recordSize is what the record of an entry takes at least, if its name is not very short.
const recordSize = 40

// entries lists a folder. It reads the records as the kernel writes them, because os.ReadDir spends more time on making
// an object of each.
func (h handle) entries(string) (all []dirEntry, err error) {
	pooled := recordBuffers.Get().(*[64 << 10]byte)
	defer recordBuffers.Put(pooled)
	buffer := pooled[:]
	for {
		size := 0
		err := retry(func() (err error) {
			size, err = unix.Getdents(h.fd, buffer)
			return err
		})
		if err != nil || size <= 0 {
			return all, err
		}
		names := string(buffer[:size]) // shared by the entries
		all = slices.Grow(all, size/recordSize)
		for at := 0; at < size; {
			// struct linux_dirent64: inode, offset, length of the record, type, name.
			record := buffer[at:size]
			length := int(binary.NativeEndian.Uint16(record[16:]))
			name := names[at+19 : at+19+bytes.IndexByte(record[19:], 0)]
			at += length
			if name == "." || name == ".." {
				continue
			}
			kind, err := h.kindOf(name, record[18])
			if err == nil {
				all = append(all, dirEntry{name, kind})
			}
		}
	}
}

// kindOf returns the type of an entry, and asks for it on file systems whose folders hold no types.
func (h handle) kindOf(name string, kind byte) (fs.FileMode, error) {
	switch kind {
	case unix.DT_REG:
		return 0, nil
	case unix.DT_DIR:
		return fs.ModeDir, nil
	case unix.DT_LNK:
		return fs.ModeSymlink, nil
	case unix.DT_UNKNOWN:
		state, err := h.stat(name)
		switch state.Mode & unix.S_IFMT {
		case unix.S_IFREG:
			return 0, err
		case unix.S_IFDIR:
			return fs.ModeDir, err
		}
		return fs.ModeDevice, err
	}
	return fs.ModeDevice, nil
}
