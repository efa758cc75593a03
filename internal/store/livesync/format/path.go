package format

import (
	"path"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
)

// flagFiles are files with which a user tells the plugin of one device to stop or to rebuild. No device accepts them
// from the database.
var flagFiles = []string{"redflag.md", "redflag2.md", "redflag3.md", "flag_rebuild.md", "flag_fetch.md"}

// logPrefix starts the paths that devices ignore in the database, whatever their settings. The oldest releases
// recognise it in capitals only.
const logPrefix = "LIVESYNC_LOG_"

// TrashFolder is where deleted files are kept, as ordinary documents. In a folder whose name starts with a dot,
// devices that sync hidden files would treat them as files of the vault.
const TrashFolder = logPrefix + "trash"

// InTrash reports whether a path belongs to a deleted file in the trash.
func InTrash(path string) bool { return strings.HasPrefix(path, TrashFolder+"/") }

// CheckPath returns an error for a path that no device accepts from the database. Paths in the trash, which no device
// should accept, are fine. It does not check whether a device's disk can hold the path.
func CheckPath(name string) error {
	switch upper := strings.ToUpper(name); {
	case name == "" || name != NormalPath(name):
		return fault.InvalidArgument.Errorf("%q is not a path in LiveSync's form: Unicode NFC, single slashes", name)
	case strings.Contains(name, ":"):
		return fault.InvalidArgument.Errorf("%q contains a colon, and LiveSync skips such files", name)
	case InTrash(name):
		return nil
	case strings.HasPrefix(name, "."):
		return fault.InvalidArgument.Errorf("%q starts with a dot, and LiveSync skips such files", name)
	case slices.Contains(flagFiles, name), strings.HasPrefix(upper, logPrefix), strings.HasPrefix(path.Base(upper), logPrefix):
		return fault.InvalidArgument.Errorf("%q is a name that LiveSync reserves", name)
	}
	return nil
}

// SameFolder reports whether two paths of one document spell its folder the same. If a write changed the case of a
// folder's letters, devices would refuse the file from then on, and might delete it.
func SameFolder(oldPath, newPath string) bool { return path.Dir(oldPath) == path.Dir(newPath) }
