package folder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system/disk"
)

// failing makes the calls fail for which a function returns true. It is called by one goroutine at a time.
func failing(f *Folder, fails func(c disk.Call) bool) {
	hook(f, func(c disk.Call) error {
		if fails(c) {
			return syscall.ENOSPC
		}
		return nil
	})
}

func journals(t *testing.T, f *Folder) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(f.state, journalFolder))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return len(entries)
}

// TestFailedRollbackLeavesNoMixture makes the rollback of a failed commit fail in each possible way: before the next
// change, all notes are old or all are new.
func TestFailedRollbackLeavesNoMixture(t *testing.T) {
	old := map[string]string{"1.md": "one", "2.md": "two", "3.md": "three"}
	now := map[string]string{"1.md": "ONE", "2.md": "TWO", "3.md": "THREE"}
	for name, test := range map[string]struct {
		renames  int // that succeed on the way forward
		journals int // that can be written
		create   bool
	}{
		"one step, which cannot be staged":               {1, 9, false},
		"two steps, which cannot be staged":              {2, 9, false},
		"one step, and no journal for it":                {1, 1, false},
		"two steps, and no journal for them":             {2, 1, false},
		"no journal for a rollback that works otherwise": {2, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir, state := t.TempDir(), t.TempDir()
			for file, text := range old {
				writeNote(t, dir, file, text)
			}
			f := reopen(t, dir, state)
			renames, written, broken := 0, 0, false
			failing(f, func(c disk.Call) bool {
				switch {
				case c.Kind == "exchange":
					if renames++; renames > test.renames && !broken {
						broken = true
						return true
					}
				case c.Kind == "write" && ofJournal(f, c):
					written++
					return written > test.journals
				case c.Kind == "create" && !ofState(f, c):
					return broken && !test.create
				}
				return false
			})
			var changes []store.Change
			for _, file := range []string{"1.md", "2.md", "3.md"} {
				changes = append(changes, store.Change{Path: vpathOf(file), Base: rev(old[file]), Data: []byte(now[file])})
			}
			if _, err := f.Commit(t.Context(), changes); err == nil {
				t.Fatal("no error")
			}
			f = reopen(t, dir, state)
			if _, err := f.Commit(t.Context(), []store.Change{{Path: "X.md", Data: []byte("x")}}); err != nil {
				t.Fatal(err)
			}
			got := filesIn(t, dir)
			delete(got, "X.md")
			if !cmp.Equal(got, old) && !cmp.Equal(got, now) {
				t.Errorf("a mixture of old and new:\n%s", cmp.Diff(old, got))
			}
			if left := journals(t, f); left > 0 {
				t.Errorf("%d journals are left", left)
			}
		})
	}
}

// TestSyncFailureIsNotRepeated checks that a process does not make a commit again whose names could not be synced.
func TestSyncFailureIsNotRepeated(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "A.md", "a")
	writeNote(t, dir, "B.md", "b")
	f := reopen(t, dir, t.TempDir())
	failing(f, func(c disk.Call) bool { return c.Kind == "syncdir" && !ofState(f, c) })
	if _, err := f.Commit(t.Context(), []store.Change{{Path: "A.md", Base: rev("a"), Data: []byte("new")}, {Path: "B.md", Base: rev("b"), Data: []byte("new")}}); err == nil {
		t.Fatal("no error")
	}
	failing(f, func(disk.Call) bool { return false })
	writeNote(t, dir, "A.md", "a") // the user undoes it
	if _, err := f.Commit(t.Context(), []store.Change{{Path: "X.md", Data: []byte("x")}}); err != nil {
		t.Fatal(err)
	}
	if got := filesIn(t, dir)["A.md"]; got != "a" {
		t.Errorf("A holds %q", got)
	}
}

// pendingRename leaves the journal of a rename with its links behind.
func pendingRename(t *testing.T, f *Folder, old map[string]string) {
	t.Helper()
	var steps []*step
	for name, text := range old {
		if name != "A.md" {
			steps = append(steps, &step{Change: store.Change{Path: vpathOf(name), Base: rev(text), Data: []byte(expectNew(old)[name])}})
		}
	}
	steps = append(steps, &step{Change: store.Change{Op: store.Move, Path: "A.md", To: "sub/B.md", Base: rev(old["A.md"]), Data: []byte("the note, moved")}})
	if err := f.writeJournal(newJournal(), steps); err != nil {
		t.Fatal(err)
	}
}

// TestRecoveryWithoutTheDisk starts before the vault's disk is mounted.
func TestRecoveryWithoutTheDisk(t *testing.T) {
	dir, state, old := manyNotes(t)
	pendingRename(t, reopen(t, dir, state), old)
	away := dir + " away"
	if err := os.Rename(dir, away); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f := reopen(t, dir, state)
	if _, err := f.Commit(t.Context(), []store.Change{{Path: "X.md", Data: []byte("x")}}); !errors.Is(err, fault.StoreUnavailable) {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(away, dir); err != nil {
		t.Fatal(err)
	}
	reopen(t, dir, state)
	if diff := cmp.Diff(expectNew(old), filesIn(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// TestRecoveryAroundOthers finishes a rename although one of its notes has become something else or was edited.
func TestRecoveryAroundOthers(t *testing.T) {
	for name, act := range map[string]func(t *testing.T, dir string, want map[string]string){
		"a note became a folder": func(t *testing.T, dir string, want map[string]string) {
			if err := errors.Join(os.Remove(filepath.Join(dir, "f0/0.md")), os.Mkdir(filepath.Join(dir, "f0/0.md"), 0o755)); err != nil {
				t.Fatal(err)
			}
			delete(want, "f0/0.md")
		},
		"a note became a link": func(t *testing.T, dir string, want map[string]string) {
			if err := errors.Join(os.Remove(filepath.Join(dir, "f0/0.md")), os.Symlink("3.md", filepath.Join(dir, "f0/0.md"))); err != nil {
				t.Fatal(err)
			}
			want["f0/0.md"] = want["f0/3.md"]
		},
		"the renamed note was edited": func(t *testing.T, dir string, want map[string]string) {
			writeNote(t, dir, "A.md", "edited by a person")
			want["sub/B.md"] = "edited by a person"
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, state, old := manyNotes(t)
			pendingRename(t, reopen(t, dir, state), old)
			want := expectNew(old)
			act(t, dir, want)
			f := reopen(t, dir, state)
			if diff := cmp.Diff(want, filesIn(t, dir)); diff != "" {
				t.Error(diff)
			}
			if _, err := f.Commit(t.Context(), []store.Change{{Path: "X.md", Data: []byte("x")}}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTrashNeverReplaces puts another file into the trash under the name that was free when the commit was planned.
func TestTrashNeverReplaces(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "A.md", "ours")
	writeNote(t, dir, "B.md", "b")
	f := reopen(t, dir, t.TempDir())
	during(f, "sync", func() { writeNote(t, dir, ".trash/A.md", "only copy") })
	results, err := f.Commit(t.Context(), []store.Change{{Path: "B.md", Base: rev("b"), Data: []byte("x")}, {Op: store.Trash, Path: "A.md", Base: rev("ours")}})
	if err != nil || results[1].TrashPath != ".trash/A 2.md" {
		t.Errorf("%+v, %v", results, err)
	}
	if got := filesIn(t, dir); got[".trash/A.md"] != "only copy" || got[".trash/A 2.md"] != "ours" {
		t.Errorf("%v", got)
	}
}

func TestTrashWhereAFileIsInTheWay(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "x/y.md", "y")
	writeNote(t, dir, ".trash/x", "a file")
	f := reopen(t, dir, t.TempDir())
	results, err := f.Commit(t.Context(), []store.Change{{Op: store.Trash, Path: "x/y.md", Base: rev("y")}})
	if err != nil || !strings.HasPrefix(results[0].TrashPath, ".trash/y") {
		t.Errorf("%+v, %v", results, err)
	}
}

// TestLinksAreNotFollowed reads and writes a note that has become a symbolic link.
func TestLinksAreNotFollowed(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, ".obsidian/app.json", "SECRET")
	writeNote(t, dir, "real.md", "real")
	for link, target := range map[string]string{"hidden.md": ".obsidian/app.json", "inside.md": "real.md"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			cannot(t, err)
		}
	}
	f := reopen(t, dir, t.TempDir())
	for _, link := range []string{"hidden.md", "inside.md"} {
		if file, err := f.Read(t.Context(), vpathOf(link), 1000); !errors.Is(err, fault.PermissionDenied) {
			t.Errorf("%s gives %q, %v", link, file.Data, err)
		}
		if _, err := f.Commit(t.Context(), []store.Change{{Path: vpathOf(link), Base: rev("real"), Data: []byte("x")}}); !errors.Is(err, fault.PermissionDenied) {
			t.Errorf("%s: %v", link, err)
		}
	}
}

func TestTrashThatIsAFile(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "A.md", "a")
	writeNote(t, dir, ".trash", "a file")
	f := reopen(t, dir, t.TempDir())
	if _, err := f.TrashPath(t.Context(), "A.md"); !errors.Is(err, fault.PermissionDenied) {
		t.Errorf("got %v", err)
	}
	if _, err := f.Commit(t.Context(), []store.Change{{Op: store.Trash, Path: "A.md", Base: rev("a")}}); !errors.Is(err, fault.PermissionDenied) {
		t.Errorf("got %v", err)
	}
}

func TestReadOnlyFilesAreNotReplaced(t *testing.T) {
	dir := t.TempDir()
	writeNote(t, dir, "A.md", "a")
	if err := os.Chmod(filepath.Join(dir, "A.md"), 0o444); err != nil {
		t.Fatal(err)
	}
	f := reopen(t, dir, t.TempDir())
	f.superuser = false
	for _, change := range []store.Change{{Path: "A.md", Base: rev("a"), Data: []byte("x")}, {Op: store.Trash, Path: "A.md", Base: rev("a")}} {
		if _, err := f.Commit(t.Context(), []store.Change{change}); !errors.Is(err, fault.PermissionDenied) {
			t.Errorf("got %v", err)
		}
	}
	if diff := cmp.Diff(map[string]string{"A.md": "a"}, filesIn(t, dir)); diff != "" {
		t.Error(diff)
	}
}
