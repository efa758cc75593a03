//go:build linux

package folder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/testkit/mode"
)

// TestSwapRace exchanges folders, links and files while the vault is read, written and scanned: nothing outside of it and
// nothing hidden in it is ever read or changed.
func TestSwapRace(t *testing.T) {
	operations := mode.Pick(2_000, 20_000, 200_000)
	if testing.Short() {
		operations = 400
	}
	race := newSwapRace(t)
	stop := make(chan struct{})
	var swapping, working sync.WaitGroup
	swapping.Go(func() { race.swap(stop) })
	const workers = 4
	for w := range workers {
		working.Go(func() {
			for i := w; i < operations && !t.Failed(); i += workers {
				race.operate(i)
			}
		})
	}
	working.Wait()
	close(stop)
	swapping.Wait()
	race.checkOutside()
	t.Logf("%d operations during %d exchanges: %d went through, %d escapes", operations, race.swaps.Load(), race.worked.Load(), race.escapes.Load())
	if race.worked.Load() == 0 || race.swaps.Load() == 0 {
		t.Error("nothing was tried")
	}
}

// swapRace is a vault in which paths lead inside and outside in turn.
type swapRace struct {
	*testing.T
	base, vault            string
	f                      *Folder
	swaps, worked, escapes atomic.Int64
	writes                 atomic.Int64
}

const secret = "SECRET"

func newSwapRace(t *testing.T) *swapRace {
	r := &swapRace{T: t, base: quickDir(t)}
	r.vault = filepath.Join(r.base, "vault")
	for _, name := range []string{"outside/A.md", "outside/deep/A.md", "vault/.hidden/A.md", "vault/.hidden/deep/A.md", "secret.md"} {
		writeNote(t, r.base, name, secret)
	}
	for _, name := range []string{"linked/A.md", "linked/deep/A.md", "replaced/A.md", "replaced/deep/A.md", "files/A.md"} {
		writeNote(t, r.vault, name, "inside")
	}
	for link, target := range map[string]string{"linked.link": "../outside", "hidden.link": ".hidden", "files/.link": "../../secret.md"} {
		if err := os.Symlink(target, filepath.Join(r.vault, link)); err != nil {
			t.Fatal(err)
		}
	}
	r.f = reopen(t, r.vault, quickDir(t))
	return r
}

// swap exchanges a folder with a link out of the vault, the same folder with a link to a hidden one, a folder with one
// outside, and a file with a link.
func (r *swapRace) swap(stop <-chan struct{}) {
	pairs := [][2]string{
		{"vault/linked", "vault/linked.link"}, {"vault/linked", "vault/hidden.link"},
		{"vault/replaced", "outside"}, {"vault/files/A.md", "vault/files/.link"},
	}
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		pair := pairs[i%len(pairs)]
		first, second := filepath.Join(r.base, pair[0]), filepath.Join(r.base, pair[1])
		for range 2 { // there and back
			if err := unix.Renameat2(unix.AT_FDCWD, first, unix.AT_FDCWD, second, unix.RENAME_EXCHANGE); err != nil {
				r.Errorf("%v: %v", pair, err)
				return
			}
			r.swaps.Add(1)
		}
	}
}

// operate performs one operation. A folder that was moved into the vault belongs to it, so what is read through
// "replaced" may be secret and is not checked.
func (r *swapRace) operate(i int) {
	path := []vpath.Path{"linked/A.md", "linked/deep/A.md", "files/A.md", "replaced/deep/A.md"}[i%4]
	var err error
	switch i / 4 % 8 {
	case 0, 1, 2, 3:
		var file store.File
		file, err = r.f.Read(r.Context(), path, 1000)
		r.see(path, file.Data)
	case 4, 5:
		_, err = r.f.Stat(r.Context(), path)
	case 6:
		err = r.f.Scan(r.Context(), func(store.Info) bool { return true }, func(found store.Found) { r.see(found.Path, found.Data) })
	default:
		err = r.write(path)
	}
	if err == nil {
		r.worked.Add(1)
	}
}

func (r *swapRace) see(path vpath.Path, data []byte) {
	if strings.Contains(string(data), secret) && path.Dir() != "replaced" && path.Dir() != "replaced/deep" {
		r.escapes.Add(1)
		r.Errorf("%s gave %q", path, data)
	}
}

// write edits a note, creates another beside it and trashes that.
func (r *swapRace) write(path vpath.Path) error {
	if r.writes.Add(1)%64 == 0 {
		os.RemoveAll(filepath.Join(r.vault, ".trash")) // else ever more names are tried
	}
	file, err := r.f.Read(r.Context(), path, 1000)
	if err != nil {
		return err
	}
	other := path.Dir().Join("B.md")
	_, edited := r.f.Commit(r.Context(), []store.Change{{Path: path, Base: file.Rev, Data: file.Data}})
	_, made := r.f.Commit(r.Context(), []store.Change{{Path: other, Data: []byte("inside")}})
	_, gone := r.f.Commit(r.Context(), []store.Change{{Op: store.Trash, Path: other, Base: rev("inside")}})
	return errors.Join(edited, made, gone)
}

// checkOutside checks that nothing changed outside of the vault. Files that moved with a whole folder are unchanged.
func (r *swapRace) checkOutside() {
	for _, closed := range []string{"vault/.hidden", "secret.md"} {
		for name, text := range filesIn(r.T, filepath.Join(r.base, closed)) {
			if text != secret || filepath.Base(name) != "A.md" && name != "." {
				r.Errorf("%s/%s holds %q", closed, name, text)
			}
		}
	}
	for name, text := range filesIn(r.T, filepath.Join(r.base, "outside")) {
		if base := filepath.Base(name); base == "A.md" && text != secret {
			r.Errorf("outside/%s holds %q", name, text)
		}
	}
	trash := filepath.Join(r.vault, ".trash")
	if _, err := os.Lstat(trash); err == nil { // it was emptied now and then
		for name, text := range filesIn(r.T, trash) {
			if text != "inside" {
				r.Errorf("the trash's %s holds %q", name, text)
			}
		}
	}
	if beside, err := os.ReadDir(r.base); err != nil || len(beside) != 3 {
		r.Errorf("beside the vault: %v, %v", beside, err)
	}
}
