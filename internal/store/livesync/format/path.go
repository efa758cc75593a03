package format

import (
	"path"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
)

// flagFiles are the names by which a device tells its own plugin to stop or
// to rebuild; no device takes them from the database.
var flagFiles = []string{"redflag.md", "redflag2.md", "redflag3.md", "flag_rebuild.md", "flag_fetch.md"}

// logPrefix begins the paths that devices neither apply nor look for,
// whatever they are set to. The oldest know it in capitals alone.
const logPrefix = "LIVESYNC_LOG_"

// TrashFolder is where deleted files are kept, as ordinary documents. Below a
// folder with a dot, devices that sync hidden files would take them for files
// of the vault.
const TrashFolder = logPrefix + "trash"

// InTrash reports whether a path is that of a deleted file which is kept.
func InTrash(path string) bool { return strings.HasPrefix(path, TrashFolder+"/") }

// CheckPath refuses a path that no device would take from the database, but
// for those in the trash, which none should. Whether a device's disk can hold
// it is another question.
func CheckPath(name string) error {
	switch upper := strings.ToUpper(name); {
	case name == "" || name != NormalPath(name):
		return fault.InvalidArgument.Errorf("%q is not spelled as LiveSync wants paths: NFC, with single slashes", name)
	case strings.Contains(name, ":"):
		return fault.InvalidArgument.Errorf("%q holds a colon, and LiveSync skips such files", name)
	case InTrash(name):
		return nil
	case strings.HasPrefix(name, "."):
		return fault.InvalidArgument.Errorf("%q begins with a dot, and LiveSync skips such files", name)
	case slices.Contains(flagFiles, name), strings.HasPrefix(upper, logPrefix), strings.HasPrefix(path.Base(upper), logPrefix):
		return fault.InvalidArgument.Errorf("%q is a name that LiveSync keeps for itself", name)
	}
	return nil
}

// SameFolder reports whether two paths of one document name its folder alike.
// A folder's letters must keep their case: devices refuse the file from then
// on, and may take it as deleted.
func SameFolder(old, new string) bool { return path.Dir(old) == path.Dir(new) }
