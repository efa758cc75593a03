package clients

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// makeFolder makes a folder with those above it. New ones belong to whom the
// folder belongs that they are in: a client cannot open what sudo left to root.
// It gives those that it has made, the outermost first, also if it fails.
func makeFolder(folder string) (added []string, err error) {
	above, owner := folder, fs.FileInfo(nil)
	var missing []string
	for owner == nil {
		info, err := os.Stat(above)
		switch {
		case err == nil:
			owner = info
		case filepath.Dir(above) == above:
			return nil, err
		default:
			missing = append(missing, above)
			above = filepath.Dir(above)
		}
	}
	for _, name := range slices.Backward(missing) {
		err := os.Mkdir(name, 0o700)
		switch info, there := os.Stat(name); {
		case err == nil:
			added = append(added, name)
		case there != nil || !info.IsDir(): // somebody else has not made it meanwhile
			return added, err
		}
	}
	return added, giveFolders(above, added, owner)
}

// giveFolders gives folders that were made inside of another to its owner.
func giveFolders(above string, added []string, owner fs.FileInfo) error {
	if len(added) == 0 {
		return nil
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

// removeFolders takes new folders away again, unless something is in them: their
// being there would pass for the client's.
func removeFolders(added []string) {
	for _, name := range slices.Backward(added) {
		_ = os.Remove(name)
	}
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
