package folder

import (
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// hook shows a test each call before it is made, one after the other; with an
// error the call fails.
func hook(f *Folder, see func(c call) error) {
	var mu sync.Mutex
	f.disk.around = func(c call, make func() error) error {
		mu.Lock()
		err := see(c)
		mu.Unlock()
		if err != nil {
			return err
		}
		return make()
	}
}

// breakFrom has the first call of a kind fail, and all after it: to the disk
// that is the same as the end of the process.
func breakFrom(f *Folder, kind string) {
	broken := false
	hook(f, func(c call) error {
		if broken = broken || c.kind == kind; broken {
			return syscall.EIO
		}
		return nil
	})
}

// path is what a call is about.
func (c call) path() string { return filepath.Join(c.in.Name(), c.name) }

// other is the second name that it is about.
func (c call) other() string { return filepath.Join(c.in.Name(), c.to) }

func ofState(f *Folder, c call) bool { return strings.HasPrefix(c.path(), filepath.Dir(f.state)) }

func ofJournal(f *Folder, c call) bool {
	return strings.HasPrefix(c.path(), filepath.Join(f.state, journalFolder))
}
