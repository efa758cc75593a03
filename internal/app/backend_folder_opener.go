package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"obsidian-mcp/internal/doctor"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/folder"
)

// folderOpener opens a folder, and opens it again after its drive was unmounted and mounted.
type folderOpener struct {
	dir     string
	options folder.Options

	mu    sync.Mutex  // guards the fields below
	self  fs.FileInfo // of the folder when it was opened first; nil before that
	names []string    // of some of the files that were in it then
}

func (o *folderOpener) open() (store.Store, error) {
	self, names, err := lookInto(o.dir)
	if err != nil {
		return nil, doctor.ExplainFolder(err)
	}
	if !o.isVault(self) {
		return nil, fault.StoreUnavailable.Errorf("the vault's folder has been replaced since it was opened").
			WithHint("if a disk was unmounted, mount it again; otherwise restart")
	}
	files, err := folder.Open(o.dir, o.options)
	if err != nil {
		return nil, doctor.ExplainFolder(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.self, o.names = self, names
	return files, nil
}

// lost reports whether the path leads to the vault again. It is asked when the folder that is open is not the one at
// the path.
func (o *folderOpener) lost() bool {
	self, _, err := lookInto(o.dir)
	return err == nil && o.isVault(self)
}

// isVault reports whether a folder is the vault's: the same one, or one with the same files in it. The empty folder
// beneath an unmounted drive must not pass for the vault.
func (o *folderOpener) isVault(now fs.FileInfo) bool {
	o.mu.Lock()
	self, names := o.self, o.names
	o.mu.Unlock()
	if self == nil || os.SameFile(self, now) {
		return true
	}
	found := 0
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(o.dir, name)); err == nil {
			found++
		}
	}
	return found > 0 && found*2 >= len(names)
}

// lookInto finds out what a folder is, and the names of some of its files.
func lookInto(dir string) (fs.FileInfo, []string, error) {
	self, err := os.Stat(dir)
	if err != nil || !self.IsDir() {
		return self, nil, err // opening it will say that it is not a folder
	}
	opened, err := os.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	defer opened.Close()
	names, _ := opened.Readdirnames(100) // no names if the folder is empty
	return self, names, nil
}
