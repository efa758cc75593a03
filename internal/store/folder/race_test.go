package folder

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system/disk"
	"obsidian-mcp/internal/testkit/mode"
)

// during runs a function before the first call of a kind.
func during(f *Folder, kind string, do func()) {
	var once sync.Once
	hook(f, func(c disk.Call) error {
		if c.Kind == kind {
			once.Do(do)
		}
		return nil
	})
}

func rev(text string) store.Rev { return revOf([]byte(text)) }

// TestOthersInterfere has another program act in the middle of a commit: what it wrote stays, and the commit is made
// completely or not at all.
func TestOthersInterfere(t *testing.T) {
	for name, test := range map[string]struct {
		changes []store.Change
		call    string
		act     func(t *testing.T, dir string)
		kind    fault.Kind
		want    map[string]string
	}{
		"an edit before the file is staged": {
			[]store.Change{{Path: "A.md", Base: rev("a"), Data: []byte("ours")}}, "write",
			func(t *testing.T, dir string) { writeNote(t, dir, "A.md", "theirs") }, fault.Conflict,
			map[string]string{"A.md": "theirs", "B.md": "b"},
		},
		"an edit just before the rename": {
			[]store.Change{{Path: "A.md", Base: rev("a"), Data: []byte("ours")}, {Path: "B.md", Base: rev("b"), Data: []byte("ours")}}, "sync",
			func(t *testing.T, dir string) { writeNote(t, dir, "B.md", "theirs") }, fault.Conflict,
			map[string]string{"A.md": "a", "B.md": "theirs"},
		},
		"another file appears under a new name": {
			[]store.Change{{Path: "B.md", Base: rev("b"), Data: []byte("ours")}, {Path: "N.md", Data: []byte("ours")}}, "sync",
			func(t *testing.T, dir string) { writeNote(t, dir, "N.md", "theirs") }, fault.AlreadyExists,
			map[string]string{"A.md": "a", "B.md": "b", "N.md": "theirs"},
		},
		"another file appears where a note moves": {
			[]store.Change{{Op: store.Move, Path: "A.md", To: "N.md", Base: rev("a")}}, "write",
			func(t *testing.T, dir string) { writeNote(t, dir, "N.md", "theirs") }, fault.AlreadyExists,
			map[string]string{"A.md": "a", "B.md": "b", "N.md": "theirs"},
		},
		"another file appears where a changed note moves": {
			[]store.Change{{Op: store.Move, Path: "A.md", To: "N.md", Base: rev("a"), Data: []byte("ours")}}, "sync",
			func(t *testing.T, dir string) { writeNote(t, dir, "N.md", "theirs") }, fault.AlreadyExists,
			map[string]string{"A.md": "a", "B.md": "b", "N.md": "theirs"},
		},
		"a note that moves is deleted": {
			[]store.Change{{Op: store.Move, Path: "A.md", To: "N.md", Base: rev("a")}}, "write",
			func(t *testing.T, dir string) {
				if err := os.Remove(filepath.Join(dir, "A.md")); err != nil {
					t.Fatal(err)
				}
			}, fault.Conflict,
			map[string]string{"B.md": "b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeNote(t, dir, "A.md", "a")
			writeNote(t, dir, "B.md", "b")
			f := reopen(t, dir, t.TempDir())
			during(f, test.call, func() { test.act(t, dir) })
			_, err := f.Commit(t.Context(), test.changes)
			if fault.KindOf(err) != test.kind {
				t.Errorf("got %v, want %v", err, test.kind)
			}
			if diff := cmp.Diff(test.want, filesIn(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTwoMovesToOneName(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "A.md", "a")
	writeNote(t, dir, "B.md", "b")
	f := reopen(t, dir, t.TempDir())
	_, err := f.Commit(t.Context(), []store.Change{
		{Op: store.Move, Path: "A.md", To: "N.md", Base: rev("a")},
		{Op: store.Move, Path: "B.md", To: "N.md", Base: rev("b")},
	})
	if !errors.Is(err, fault.AlreadyExists) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(map[string]string{"A.md": "a", "B.md": "b"}, filesIn(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestRollbackFails makes the rollback fail too: the next commit or start continues it, and never rolls forward again.
func TestRollbackFails(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	writeNote(t, dir, "A.md", "a")
	writeNote(t, dir, "B.md", "b")
	writeNote(t, dir, "C.md", "c")
	f := reopen(t, dir, state)
	renames := 0
	hook(f, func(c disk.Call) error {
		if c.Kind == "exchange" {
			if renames++; renames > 2 {
				return syscall.EIO
			}
		}
		return nil
	})
	_, err := f.Commit(t.Context(), []store.Change{
		{Path: "A.md", Base: rev("a"), Data: []byte("ours")}, {Path: "B.md", Base: rev("b"), Data: []byte("ours")}, {Path: "C.md", Base: rev("c"), Data: []byte("ours")},
	})
	if err == nil {
		t.Fatal("no error")
	}
	reopen(t, dir, state)
	if diff := cmp.Diff(map[string]string{"A.md": "a", "B.md": "b", "C.md": "c"}, filesIn(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestRecoveryWaitsForTheDisk checks that a journal stays as long as its files cannot be read.
func TestRecoveryWaitsForTheDisk(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	writeNote(t, dir, "Notes [work]/A.md", "a")
	dir = filepath.Join(dir, "Notes [work]")
	f := reopen(t, dir, state)
	steps := []*step{{Change: store.Change{Op: store.Trash, Path: "A.md", Base: rev("a")}}, {Change: store.Change{Path: "N.md", Data: []byte("n")}}}
	if err := f.writeJournal("one", steps); err != nil {
		t.Fatal(err)
	}
	hook(f, func(c disk.Call) error {
		if c.Kind == "open" {
			return syscall.EIO
		}
		return nil
	})
	if _, err := f.Commit(t.Context(), []store.Change{{Path: "X.md", Data: []byte("x")}}); !errors.Is(err, fault.StoreUnavailable) {
		t.Errorf("got %v", err)
	}
	if journals(t, f) != 1 {
		t.Error("the journal is gone")
	}
	f.disk.calls.Around = nil
	if _, err := f.Commit(t.Context(), []store.Change{{Path: "X.md", Data: []byte("x")}}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]string{".trash/A.md": "a", "N.md": "n", "X.md": "x"}, filesIn(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestRespellDuringScans changes the case of a name back and forth while the vault is scanned.
func TestRespellDuringScans(t *testing.T) {
	dir := quickDir(t)
	writeNote(t, dir, "note.md", "text")
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "note.md"), old, old); err != nil {
		t.Fatal(err)
	}
	f := reopen(t, dir, t.TempDir())
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				_ = f.Scan(t.Context(), func(store.Info) bool { return false }, func(store.Found) {})
			}
		}
	}()
	from, to := vpath.Path("note.md"), vpath.Path("Note.md")
	for range mode.Pick(20, 100, 1000) {
		if _, err := f.Commit(t.Context(), []store.Change{{Op: store.Move, Path: from, To: to, Base: rev("text")}}); err != nil {
			t.Fatal(err)
		}
		from, to = to, from
	}
	close(stop)
	<-done
	if diff := cmp.Diff(map[string]string{"note.md": "text"}, filesIn(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestWaitingForTheLockEnds(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	f := reopen(t, dir, state)
	unlock, err := f.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	other := reopen(t, dir, state)
	change := []store.Change{{Path: "A.md", Data: []byte("x")}}
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		if _, err := other.Commit(t.Context(), change); !errors.Is(err, fault.StoreUnavailable) || time.Since(begun) != lockPatience {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		begun = time.Now()
		hurried, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := other.Commit(hurried, change); !errors.Is(err, fault.StoreUnavailable) || time.Since(begun) != time.Second {
			t.Errorf("a hurried caller waited for %v: %v", time.Since(begun), err)
		}
	})
}

// TestChangeRightAfterOurs checks that another program's change right after ours does not count as ours.
func TestChangeRightAfterOurs(t *testing.T) {
	dir := t.TempDir()
	f := reopen(t, dir, t.TempDir())
	hook(f, func(c disk.Call) error {
		if c.Kind == "syncdir" && !ofState(f, c) {
			writeNote(t, dir, "A.md", "theirs, at once")
		}
		return nil
	})
	results, err := f.Commit(t.Context(), []store.Change{{Path: "A.md", Data: []byte("ours")}})
	if err != nil {
		t.Fatal(err)
	}
	if results[0].Mark != "" {
		t.Error("their file has our mark")
	}
	if info, err := f.Stat(t.Context(), "A.md"); err != nil || f.own.is("A.md", info.Mark) {
		t.Errorf("their change counts as ours (%v)", err)
	}
}

func TestEchoIsForgottenOnceOthersWrite(t *testing.T) {
	var own echoes
	own.gone("A.md")
	if !own.is("A.md", "") || own.is("A.md", "theirs") || own.is("A.md", "") {
		t.Error("a deletion by another program counts as ours")
	}
}

// TestEditAfterTheLastLook has another program save a note just before it is replaced: an exchange of names notices even
// that.
func TestEditAfterTheLastLook(t *testing.T) {
	for name, save := range map[string]func(dir string) error{
		"in place": func(dir string) error { return os.WriteFile(filepath.Join(dir, "A.md"), []byte("theirs"), 0o644) },
		"by a rename": func(dir string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, ".editor"), []byte("theirs"), 0o644), os.Rename(filepath.Join(dir, ".editor"), filepath.Join(dir, "A.md")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeNote(t, dir, "A.md", "a")
			f := reopen(t, dir, t.TempDir())
			if err := exchange(f.root, "A.md", "A.md"); errors.Is(err, errors.ErrUnsupported) {
				t.Skip("this system cannot exchange names")
			}
			during(f, "exchange", func() {
				if err := save(dir); err != nil {
					t.Error(err)
				}
			})
			if _, err := f.Commit(t.Context(), []store.Change{{Path: "A.md", Base: rev("a"), Data: []byte("ours")}}); !errors.Is(err, fault.Conflict) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(map[string]string{"A.md": "theirs"}, filesIn(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
