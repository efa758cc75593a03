package folder

import (
	"context"
	"os"
	"strings"
	"time"

	"obsidian-mcp/internal/note/vpath"
)

// A crash leaves temporary files behind. Those of processes that share our lock are abandoned once we hold it. Those of
// other machines that write to the same vault count as abandoned when they are old.

// staleAfter is how old a temporary file of another machine must be to count as abandoned.
const staleAfter = time.Hour

// sweepAll removes temporary files from the folders of the commit. The caller holds the lock.
func (u *unit) sweepAll() {
	for dir, in := range u.folders {
		for _, name := range namesIn(in) {
			if u.vault.isOurs(name) {
				u.vault.drop(in, name, dir)
			}
		}
	}
}

// sweepHidden sweeps the vault's hidden folders, which are not scanned.
func (w *walker) sweepHidden() {
	for _, name := range []string{configFolder, trashFolder} {
		in, err := w.vault.descend(w.vault.root, name, name)
		if err != nil {
			continue
		}
		for _, file := range namesIn(in) {
			w.sweep(in, file, name)
		}
		in.Close()
	}
}

// sweepIn sweeps a hidden file of a folder of the vault.
func (w *walker) sweepIn(folder vpath.Path, name string) {
	if !isTemporary(name) {
		return
	}
	if in, err := w.vault.enter(folder); err == nil {
		defer in.Close()
		w.sweep(in, name, string(folder))
	}
}

// sweep removes an old temporary file of another machine, and remembers those that share our lock.
func (w *walker) sweep(in *os.Root, name, dir string) {
	if !isTemporary(name) {
		return
	}
	info, err := in.Lstat(name)
	switch {
	case err != nil || !info.Mode().IsRegular():
	case w.vault.isOurs(name):
		w.leftovers = append(w.leftovers, location{dir: dir, name: name}.path())
	case time.Since(info.ModTime()) >= staleAfter:
		_ = w.vault.disk.remove(in, name)
	}
}

// sweepLeftovers removes temporary files that a scan has found, unless somebody holds the lock: then a commit may be
// writing them.
func (f *Folder) sweepLeftovers(ctx context.Context, leftovers []string) {
	if len(leftovers) == 0 {
		return
	}
	atOnce, cancel := context.WithTimeout(ctx, 0)
	defer cancel()
	unlock, err := f.lock(atOnce)
	if err != nil {
		return
	}
	defer unlock()
	for _, path := range leftovers {
		_ = f.disk.remove(f.root, path)
	}
}

func (f *Folder) isOurs(name string) bool {
	return isTemporary(name) && strings.HasPrefix(name, temporaryPrefix+f.tag)
}

func namesIn(in *os.Root) []string {
	dir, err := in.Open(".")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	return names
}
