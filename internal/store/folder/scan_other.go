//go:build !linux && !darwin

package folder

import (
	"os"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

func readDir(dir *os.File, _ string) ([]os.DirEntry, error) { return dir.ReadDir(-1) }

// stat describes a file; ok is false unless it is a regular file of the vault.
func (o *openFolder) stat(f *Folder, path vpath.Path, name string) (info store.Info, ok bool, err error) {
	found, err := o.root.Lstat(name)
	if err != nil {
		return store.Info{}, false, err
	}
	return infoOf(path, found), f.checkPlain(path, found) == nil, nil
}

// read reads a file into a buffer.
func (o *openFolder) read(f *Folder, path vpath.Path, name string, buffer []byte) ([]byte, store.Info, error) {
	data, info, err := f.load(o.root, path, name, store.MaxScan, buffer)
	if err != nil {
		return nil, store.Info{}, err
	}
	return data, infoOf(path, info), nil
}
