//go:build !linux && !darwin

package folder

import (
	"io/fs"
	"os"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// handle is an open folder of the vault.
type handle struct{ root *os.Root }

func (h handle) close() { h.root.Close() }

// openTop opens the vault's own folder.
func (f *Folder) openTop() (handle, error) {
	root, err := f.enter("")
	return handle{root}, err
}

// openBelow opens a folder in the open one that it is in.
func (f *Folder) openBelow(above handle, path vpath.Path) (handle, error) {
	root, err := f.descend(above.root, path.Base(), string(path))
	return handle{root}, err
}

// entries lists a folder.
func (h handle) entries(string) ([]dirEntry, error) {
	folder, err := h.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return listed(folder)
}

// fileState is what the system says about a file.
type fileState struct{ fs.FileInfo }

func (h handle) stat(name string) (fileState, error) {
	info, err := h.root.Lstat(name)
	return fileState{info}, err
}

// isPlain reports whether it is a regular file of the vault.
func (s *fileState) isPlain(f *Folder) bool { return f.checkPlain("", s.FileInfo) == nil }

func (s *fileState) appendMark(mark []byte) []byte { return append(mark, markOf(s.FileInfo)...) }

func (s *fileState) info(path vpath.Path) store.Info { return infoOf(path, s.FileInfo) }

// readIn reads a file of an open folder into a buffer.
func (f *Folder) readIn(in handle, path vpath.Path, name string, buffer []byte) ([]byte, store.Info, error) {
	data, info, err := f.load(in.root, path, name, store.MaxScan, buffer)
	if err != nil {
		return nil, store.Info{}, err
	}
	return data, infoOf(path, info), nil
}
