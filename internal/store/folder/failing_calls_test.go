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

// breaker makes one call fail, or that one and all later ones.
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

// trial is one run of an example on a failing disk.
type trial struct {
	*testing.T
	example
	*breaker
	dir, state string
}

// each runs an example repeatedly and makes another of its calls fail each time.
func (e example) each(t *testing.T, errno syscall.Errno, gone bool, try func(trial)) (calls int) {
	base := quickDir(t)
	for n := 1; ; n++ {
		emptyDir(t, base)
		tr := trial{t, e, &breaker{at: n, error: errno, gone: gone}, filepath.Join(base, "vault"), filepath.Join(base, "state")}
		layNotes(t, tr.dir)
		try(tr)
		if tr.hit == "" {
			return n - 1
		}
		if t.Failed() {
			t.Fatalf("call %d (%s) with %v", n, tr.hit, errno)
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

// TestEveryCallFails makes each system call of a commit fail in turn: either the old notes stay, or all changes are made
// and the error says what is in doubt. The next attempt succeeds and leaves nothing behind.
func TestEveryCallFails(t *testing.T) {
	for _, e := range examplesOfRun() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			clean := e.cleanFolders(t)
			for _, errno := range e.errnos() {
				calls := e.each(t, errno, false, func(tr trial) { tr.failOnce(clean) })
				t.Logf("%d calls failed in turn with %v", calls, errno)
			}
		})
	}
}

// cleanFolders returns the folders after a commit without failures.
func (e example) cleanFolders(t *testing.T) (folders []string) {
	dir := quickDir(t)
	layNotes(t, dir)
	f := reopen(t, dir, quickDir(t))
	if err := e.commit(t, f, func() {}); (err == nil) != (e.spoilt == nil) {
		t.Fatal(err)
	}
	return foldersIn(t, dir)
}

func (tr trial) failOnce(clean []string) {
	f := reopen(tr.T, tr.dir, tr.state)
	defer f.Close()
	hook(f, tr.see)
	err := tr.commit(tr.T, f, func() {})
	f.disk.calls.Around = nil
	tr.checkError(err)
	got := notesIn(tr.T, tr.dir)
	switch {
	case maps.Equal(got, tr.after()) && (err == nil || tr.spoilt != nil || strings.Contains(err.Error(), "may not survive a power cut")):
	case err != nil && maps.Equal(got, tr.before()):
		if err := tr.commit(tr.T, f, func() {}); err != nil {
			tr.Errorf("the next attempt fails too: %v", err)
		}
	default:
		if err != nil && strings.Contains(err.Error(), "finished before the next change") {
			break
		}
		tr.Errorf("%v, and the vault holds:\n%s", err, cmp.Diff(tr.before(), got))
	}
	tr.checkNext(f, clean)
}

// checkError checks the error of a commit.
func (tr trial) checkError(err error) {
	switch {
	case err == nil && tr.spoilt != nil:
		tr.Error("the failure was not reported")
	case err == nil:
	case fault.KindOf(err) == fault.Internal:
		tr.Errorf("the error has no kind: %v", err)
	case strings.Contains(err.Error(), filepath.Dir(tr.dir)):
		tr.Errorf("the error reveals where the vault is: %v", err)
	}
}

// checkNext makes another commit. After it, all notes are old or all are new, and nothing else is left.
func (tr trial) checkNext(f *Folder, clean []string) {
	if _, err := f.Commit(tr.Context(), []store.Change{{Path: "X.md", Data: []byte("x")}}); err != nil {
		tr.Fatalf("the next commit: %v", err)
	}
	got, folders := filesIn(tr.T, tr.dir), foldersIn(tr.T, tr.dir)
	delete(got, "X.md")
	if !maps.Equal(got, tr.after()) && !maps.Equal(got, tr.before()) {
		tr.Errorf("after the next commit:\n%s", cmp.Diff(tr.after(), got))
	}
	if maps.Equal(got, tr.after()) && !slices.Equal(folders, clean) {
		tr.Errorf("folders: %s", cmp.Diff(clean, folders))
	}
	if left := journals(tr.T, f); left > 0 {
		tr.Errorf("%d journals are left", left)
	}
	if kept, err := os.ReadDir(filepath.Join(f.state, "conflicts")); err == nil && tr.spoilt == nil {
		tr.Errorf("versions were kept: %v", kept)
	}
}

// TestDiskGone makes each call of a commit fail, and all later ones. For the disk that is the same as a killed process.
// After the next start, all notes are old or all are new.
func TestDiskGone(t *testing.T) {
	for _, e := range examplesOfRun() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			var old, now int
			calls := e.each(t, syscall.EIO, true, func(tr trial) {
				f := reopen(t, tr.dir, tr.state)
				hook(f, tr.see)
				err := tr.commit(t, f, func() {})
				f.Close()
				tr.checkError(err)
				switch got := tr.restart(vaultDisk{}); {
				case maps.Equal(got, tr.before()):
					old++
				case maps.Equal(got, tr.after()), tr.spoilt != nil && maps.Equal(got, tr.forward(tr.spoilt)):
					now++
				default:
					t.Errorf("a mixture of old and new:\n%s", cmp.Diff(tr.after(), got))
				}
			})
			t.Logf("cut off at each of %d calls: %d times old, %d times new", calls, old, now)
		})
	}
}

// restart opens the vault on another disk and returns its files. Nothing of an interrupted commit may be left.
func (tr trial) restart(on vaultDisk) map[string]string {
	tr.Helper()
	f, err := open(tr.dir, Options{State: tr.state}, on)
	if err != nil {
		tr.Fatal(err)
	}
	defer f.Close()
	if err := f.Scan(tr.Context(), func(store.Info) bool { return false }, func(store.Found) {}); err != nil {
		tr.Fatal(err)
	}
	if left := journals(tr.T, f); left > 0 && on.calls.Around == nil {
		tr.Errorf("%d journals are left", left)
	}
	return filesIn(tr.T, tr.dir)
}

// TestRecoveryFails makes each call of a recovery fail, once or together with all later ones: the next start, or the next
// commit, finishes it.
func TestRecoveryFails(t *testing.T) {
	for _, e := range examplesOfRun() {
		if e.spoilt != nil || len(e.changes) == 1 && e.changes[0].Op != store.Move && e.changes[0].Op != store.Trash {
			continue // it is rolled back, or has no journal
		}
		for _, gone := range []bool{false, true} {
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				for _, errno := range e.errnos() {
					calls := e.each(t, errno, gone, func(tr trial) { tr.failRecovery() })
					t.Logf("%v: %d calls", errno, calls)
				}
			})
		}
	}
}

func (tr trial) failRecovery() {
	f := reopen(tr.T, tr.dir, tr.state)
	left := (len(tr.changes) + 1) / 2 // how many more changes are made before every call fails
	hook(f, func(c disk.Call) error {
		if left == 0 {
			return syscall.EIO
		}
		if c.Kind == "exchange" || c.Kind == "link" {
			left--
		}
		return nil
	})
	if err := tr.commit(tr.T, f, func() {}); err == nil {
		tr.Fatal("no error")
	}
	f.Close()
	var broken Folder
	hook(&broken, tr.see)
	tr.restart(broken.disk)
	if got := tr.restart(vaultDisk{}); !maps.Equal(got, tr.after()) {
		tr.Errorf("recovered to:\n%s", cmp.Diff(tr.after(), got))
	}
}
