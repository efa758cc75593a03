package clients

import (
	"io/fs"
	"os"
	"path/filepath"
)

// makeFolder makes a folder with those above it. New ones belong to whom the
// folder belongs that they are in: a client cannot open what sudo left to root.
func makeFolder(folder string) error {
	above, owner := folder, fs.FileInfo(nil)
	var added []string
	for owner == nil {
		info, err := os.Stat(above)
		switch {
		case err == nil:
			owner = info
		case filepath.Dir(above) == above:
			return err
		default:
			added = append(added, above)
			above = filepath.Dir(above)
		}
	}
	if err := os.MkdirAll(folder, 0o700); err != nil || len(added) == 0 {
		return err
	}
	inside, err := os.OpenRoot(above) // no link that somebody puts there meanwhile leads out
	if err != nil {
		return err
	}
	defer inside.Close()
	for _, name := range added {
		giveFolder(inside, name, owner)
	}
	return nil
}

// giveFolder gives a folder to the owner of another, where one may.
func giveFolder(inside *os.Root, name string, owner fs.FileInfo) {
	relative, err := filepath.Rel(inside.Name(), name)
	if err != nil {
		return
	}
	folder, err := inside.Open(relative)
	if err != nil {
		return
	}
	defer folder.Close()
	if info, err := folder.Stat(); err == nil && info.IsDir() {
		keepOwner(folder, owner)
	}
}
