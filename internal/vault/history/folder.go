package history

import (
	"errors"
	"io/fs"
	"os"
)

// folder is the open folder of a history. Every call opens it and its segments
// again, so that none is written to after another process has removed it. Segments
// are opened through os.Root, which allows removing open files on Windows too.
type folder struct {
	root  *os.Root
	disk  *logDisk
	names []string // of the segments, oldest first
}

// folder opens the folder, or returns nil if it does not exist.
func (h *History) folder() (*folder, error) {
	root, err := os.OpenRoot(h.o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, cannotRead(err)
	}
	opened, err := h.list(root)
	if err != nil {
		root.Close()
		return nil, cannotRead(err)
	}
	return opened, nil
}

func (h *History) list(root *os.Root) (*folder, error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	listed := &folder{root: root, disk: h.disk}
	for _, entry := range entries {
		if entry.Type().IsRegular() && isSegment(entry.Name()) { // opening a pipe would wait
			listed.names = append(listed.names, entry.Name())
		}
	}
	return listed, nil
}

func (f *folder) close() { f.root.Close() }

// newest returns the name of the newest segment, or "".
func (f *folder) newest() string {
	if len(f.names) == 0 {
		return ""
	}
	return f.names[len(f.names)-1]
}

// open opens a segment for reading and returns its size.
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
