package history

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// folder is where the segments are. It is opened anew for every call, and so
// are they: none is written to that somebody else has removed. They are opened
// by way of os.Root since that has, also on Windows, files removed that are open.
type folder struct {
	root  *os.Root
	disk  *logDisk
	names []string // of the segments, the oldest first
}

// folder opens the folder; nil where there is none.
func (h *History) folder() (*folder, error) {
	root, err := os.OpenRoot(h.o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, cannotRead(err)
	}
	at, err := h.list(root)
	if err != nil {
		root.Close()
		return nil, cannotRead(err)
	}
	return at, nil
}

func (h *History) list(root *os.Root) (*folder, error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	made := &folder{root: root, disk: h.disk}
	for _, entry := range entries {
		if entry.Type().IsRegular() && isSegment(entry.Name()) { // opening a pipe would wait
			made.names = append(made.names, entry.Name())
		}
	}
	return made, nil
}

func (f *folder) close() { f.root.Close() }

// newest is the name of the newest segment; "": there is none.
func (f *folder) newest() string {
	if len(f.names) == 0 {
		return ""
	}
	return f.names[len(f.names)-1]
}

// open opens a segment for reading, and says how large it is.
func (f *folder) open(name string) (*os.File, int64, error) {
	file, err := f.disk.openForReading(f.root, name)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// readFrame gives what a frame of a kind has in it.
func (f *frames) readFrame(file io.ReaderAt, size int64, kind byte, at int64) ([]byte, error) {
	if at < int64(headerSize) || at > size-int64(frameHead) {
		return nil, errDamaged
	}
	head := make([]byte, frameHead)
	if _, err := file.ReadAt(head, at); err != nil {
		return nil, unexpectedEnd(err)
	}
	found, length, ok := f.head(head, at)
	if at += int64(frameHead); !ok || found != kind || length > size-at {
		return nil, errDamaged
	}
	payload := make([]byte, length)
	if _, err := file.ReadAt(payload, at); err != nil {
		return nil, unexpectedEnd(err)
	}
	return f.open(kind, at-int64(frameHead), payload)
}
