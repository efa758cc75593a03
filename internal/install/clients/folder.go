package clients

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// makeFolder makes a folder and its missing parents. New folders get the owner of the folder they are in, because a client
// cannot open what sudo leaves to root. It returns the folders it made, outermost first, even if it fails.
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
		switch info, statErr := os.Stat(name); {
		case err == nil:
			added = append(added, name)
		case statErr != nil || !info.IsDir(): // otherwise another process made it in the meantime
			return added, err
		}
	}
	return added, giveFolders(above, added, owner)
}

// giveFolders gives new folders to the owner of the folder above them.
func giveFolders(above string, added []string, owner fs.FileInfo) error {
	if len(added) == 0 {
		return nil
	}
	inside, err := os.OpenRoot(above) // a link created in the meantime cannot lead out of it
	if err != nil {
		return err
	}
	defer inside.Close()
	for _, name := range added {
		giveFolder(inside, name, owner)
	}
	return nil
}

// removeFolders removes new folders again if they are empty: their presence would suggest that the client is installed.
func removeFolders(added []string) {
	for _, name := range slices.Backward(added) {
		_ = os.Remove(name)
	}
}

// giveFolder changes a folder's owner, if the process may.
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
