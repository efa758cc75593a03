package folder

import (
	"context"
	"os"
	"strings"
	"time"
)

// A crash leaves temporary files behind. Those of the processes that share our
// lock are nobody's as soon as we hold it; those of other machines, which may
// write to the same vault, when they are old.

// staleAfter is how old a temporary file must be to be nobody's any more.
const staleAfter = time.Hour

// sweepAll removes temporary files from the folders of the commit. The lock is
// held.
func (u *unit) sweepAll() {
	for dir, in := range u.folders {
		for _, name := range namesIn(in) {
			if u.isOurs(name) {
				u.drop(in, name, dir)
			}
		}
	}
}

// sweepHidden looks through the vault's hidden folders, which are not scanned.
func (w *walker) sweepHidden() {
	for _, name := range []string{configFolder, trashFolder} {
		in, err := w.descend(w.root, name, name)
		if err != nil {
			continue
		}
		for _, left := range namesIn(in) {
			w.sweep(in, left, name)
		}
		in.Close()
	}
}

// sweep removes a temporary file that is old, and remembers one of ours.
func (w *walker) sweep(in *os.Root, name, dir string) {
	if !isTemporary(name) {
		return
	}
	info, err := in.Lstat(name)
	switch {
	case err != nil || !info.Mode().IsRegular():
	case w.isOurs(name):
		w.left = append(w.left, place{dir: dir, name: name}.path())
	case time.Since(info.ModTime()) >= staleAfter:
		_ = w.disk.remove(in, name)
	}
}

// sweepLeft removes temporary files that a scan has found, unless a commit is
// being made: then one of them may be its own.
func (f *Folder) sweepLeft(ctx context.Context, left []string) {
	if len(left) == 0 {
		return
	}
	now, cancel := context.WithTimeout(ctx, 0)
	defer cancel()
	unlock, err := f.lock(now)
	if err != nil {
		return
	}
	defer unlock()
	for _, path := range left {
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
