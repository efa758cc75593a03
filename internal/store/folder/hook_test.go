package folder

import (
	"path/filepath"
	"strings"
	"syscall"

	"obsidian-mcp/internal/system/disk"
)

// hook shows a test each call before it is made, one at a time. A call for which see returns an error fails with it.
func hook(f *Folder, see func(c disk.Call) error) { f.disk.calls.Before(see) }

// breakFrom makes the first call of a kind fail, and all later calls. For the disk that is the same as the end of the
// process.
func breakFrom(f *Folder, kind string) {
	broken := false
	hook(f, func(c disk.Call) error {
		if broken = broken || c.Kind == kind; broken {
			return syscall.EIO
		}
		return nil
	})
}

// callPath is the file that a call works on.
func callPath(c disk.Call) string { return filepath.Join(c.In.Name(), c.Name) }

// callTarget is the second name of a link, a rename or an exchange.
func callTarget(c disk.Call) string { return filepath.Join(c.In.Name(), c.To) }

func ofState(f *Folder, c disk.Call) bool {
	return strings.HasPrefix(callPath(c), filepath.Dir(f.state))
}

func ofJournal(f *Folder, c disk.Call) bool {
	return strings.HasPrefix(callPath(c), filepath.Join(f.state, journalFolder))
}
