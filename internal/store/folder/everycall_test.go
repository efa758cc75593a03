package folder

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system/disk"
	"obsidian-mcp/internal/testkit/mode"
)

// breaker has one call fail, or all from one on.
type breaker struct {
	at    int
	error syscall.Errno
	gone  bool // all later calls fail too
	calls int
	hit   string
}

func (b *breaker) see(c disk.Call) error {
	b.calls++
	if b.calls == b.at || b.gone && b.calls > b.at {
		if b.hit == "" {
			b.hit = c.Kind + " " + c.Name
		}
		return b.error
	}
	return nil
}

// trial is one try of an example on a disk that fails.
type trial struct {
	*testing.T
	example
	*breaker
	dir, state string
}

// each tries an example with each of its calls failing, until none is left.
func (e example) each(t *testing.T, errno syscall.Errno, gone bool, try func(trial)) (calls int) {
	base := quickDir(t)
	for n := 1; ; n++ {
		emptyDir(t, base)
		one := trial{t, e, &breaker{at: n, error: errno, gone: gone}, filepath.Join(base, "vault"), filepath.Join(base, "state")}
		layNotes(t, one.dir)
		try(one)
		if one.hit == "" {
			return n - 1
		}
		if t.Failed() {
			t.Fatalf("call %d (%s) with %v", n, one.hit, errno)
		}
	}
}

// errnos are the errors that calls fail with: all of them in the full form, otherwise a different one for each example.
func (e example) errnos() []syscall.Errno {
	if mode.Full() {
		return disk.Errnos
	}
	n := slices.IndexFunc(examples(), func(other example) bool { return other.name == e.name }) % len(disk.Errnos)
	return disk.Errnos[n : n+1]
}

// TestEveryCallFails has each system call of a commit fail in turn, with each
// error: the old bytes stay, or all is made and the error says what is in
// doubt; the next try works and leaves nothing behind.
func TestEveryCallFails(t *testing.T) {
	for _, e := range examplesOfRun() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			clean := e.cleanFolders(t)
			for _, errno := range e.errnos() {
				calls := e.each(t, errno, false, func(one trial) { one.failOnce(clean) })
				t.Logf("%d calls failed in turn with %v", calls, errno)
			}
		})
	}
}

// cleanFolders are those that an undisturbed commit leaves.
func (e example) cleanFolders(t *testing.T) (folders []string) {
	dir := quickDir(t)
	layNotes(t, dir)
	f := reopen(t, dir, quickDir(t))
	if err := e.commit(t, f, func() {}); (err == nil) != (e.spoilt == nil) {
		t.Fatal(err)
	}
	return foldersIn(t, dir)
}

func (one trial) failOnce(clean []string) {
	f := reopen(one.T, one.dir, one.state)
	defer f.Close()
	hook(f, one.see)
	err := one.commit(one.T, f, func() {})
	f.disk.calls.Around = nil
	one.checkError(err)
	got := notesIn(one.T, one.dir)
	switch {
	case maps.Equal(got, one.after()) && (err == nil || one.spoilt != nil || strings.Contains(err.Error(), "may not survive a power cut")):
	case err != nil && maps.Equal(got, one.before()):
		if err := one.commit(one.T, f, func() {}); err != nil {
			one.Errorf("the next try fails too: %v", err)
		}
	default:
		if err != nil && strings.Contains(err.Error(), "finished before the next change") {
			break
		}
		one.Errorf("%v, and the vault holds:\n%s", err, cmp.Diff(one.before(), got))
	}
	one.checkNext(f, clean)
}

// checkError looks at what a commit says.
func (one trial) checkError(err error) {
	switch {
	case err == nil && one.spoilt != nil:
		one.Error("nobody was told")
	case err == nil:
	case fault.KindOf(err) == fault.Internal:
		one.Errorf("of no kind: %v", err)
	case strings.Contains(err.Error(), filepath.Dir(one.dir)):
		one.Errorf("tells where the vault is: %v", err)
	}
}

// checkNext makes one more commit, after which all is old or all is new, and
// nothing else is left.
func (one trial) checkNext(f *Folder, clean []string) {
	if _, err := f.Commit(one.Context(), []store.Change{{Path: "X.md", Data: []byte("x")}}); err != nil {
		one.Fatalf("the next commit: %v", err)
	}
	got, folders := filesIn(one.T, one.dir), foldersIn(one.T, one.dir)
	delete(got, "X.md")
	if !maps.Equal(got, one.after()) && !maps.Equal(got, one.before()) {
		one.Errorf("after the next commit:\n%s", cmp.Diff(one.after(), got))
	}
	if maps.Equal(got, one.after()) && !slices.Equal(folders, clean) {
		one.Errorf("folders: %s", cmp.Diff(clean, folders))
	}
	if left := journals(one.T, f); left > 0 {
		one.Errorf("%d journals are left", left)
	}
	if kept, err := os.ReadDir(filepath.Join(f.state, "conflicts")); err == nil && one.spoilt == nil {
		one.Errorf("versions were kept: %v", kept)
	}
}

// TestDiskGone has each call of a commit fail, and all after it: to the disk
// that is the same as a process that is killed. After the next start
// everything is old, or everything is new.
func TestDiskGone(t *testing.T) {
	for _, e := range examplesOfRun() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			var old, now int
			calls := e.each(t, syscall.EIO, true, func(one trial) {
				f := reopen(t, one.dir, one.state)
				hook(f, one.see)
				err := one.commit(t, f, func() {})
				f.Close()
				one.checkError(err)
				switch got := one.restart(vaultDisk{}); {
				case maps.Equal(got, one.before()):
					old++
				case maps.Equal(got, one.after()), one.spoilt != nil && maps.Equal(got, one.forward(one.spoilt)):
					now++
				default:
					t.Errorf("a mixture:\n%s", cmp.Diff(one.after(), got))
				}
			})
			t.Logf("cut off at each of %d calls: %d times old, %d times new", calls, old, now)
		})
	}
}

// restart opens the vault on another disk and gives its files. Nothing of an
// interrupted commit may be left then.
func (one trial) restart(on vaultDisk) map[string]string {
	one.Helper()
	f, err := open(one.dir, Options{State: one.state}, on)
	if err != nil {
		one.Fatal(err)
	}
	defer f.Close()
	if err := f.Scan(one.Context(), func(store.Info) bool { return false }, func(store.Found) {}); err != nil {
		one.Fatal(err)
	}
	if left := journals(one.T, f); left > 0 && on.calls.Around == nil {
		one.Errorf("%d journals are left", left)
	}
	return filesIn(one.T, one.dir)
}

// TestRecoveryFails has each call of a recovery fail, once and for good: the
// next start, or the next commit, finishes it.
func TestRecoveryFails(t *testing.T) {
	for _, e := range examplesOfRun() {
		if e.spoilt != nil || len(e.changes) == 1 && e.changes[0].Op != store.Move && e.changes[0].Op != store.Trash {
			continue // it is taken back, or it has no journal
		}
		for _, gone := range []bool{false, true} {
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				for _, errno := range e.errnos() {
					calls := e.each(t, errno, gone, func(one trial) { one.failRecovery() })
					t.Logf("%v: %d calls", errno, calls)
				}
			})
		}
	}
}

func (one trial) failRecovery() {
	f := reopen(one.T, one.dir, one.state)
	left := (len(one.changes) + 1) / 2 // of the changes are made, and that is all
	hook(f, func(c disk.Call) error {
		if left == 0 {
			return syscall.EIO
		}
		if c.Kind == "exchange" || c.Kind == "link" {
			left--
		}
		return nil
	})
	if err := one.commit(one.T, f, func() {}); err == nil {
		one.Fatal("no error")
	}
	f.Close()
	var broken Folder
	hook(&broken, one.see)
	one.restart(broken.disk)
	if got := one.restart(vaultDisk{}); !maps.Equal(got, one.after()) {
		one.Errorf("recovered to:\n%s", cmp.Diff(one.after(), got))
	}
}
