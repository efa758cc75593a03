package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vpath"
)

// manyNotes is a vault whose note A is linked from twelve others.
func manyNotes(t *testing.T) (dir, state string, old map[string]string) {
	t.Helper()
	dir, state = t.TempDir(), t.TempDir()
	old = oldNotes()
	for name, text := range old {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return dir, state, old
}

func oldNotes() map[string]string {
	notes := map[string]string{"A.md": "the note"}
	for i := range 12 {
		notes[fmt.Sprintf("f%d/%d.md", i%3, i)] = fmt.Sprintf("%d links to [[A]]", i)
	}
	return notes
}

// renameAll renames A to sub/B with all links, in one commit.
func renameAll(f *Folder, old map[string]string) (now map[string]string, err error) {
	now = map[string]string{"sub/B.md": "the note, moved"}
	var changes []store.Change
	for name, text := range old {
		if name == "A.md" {
			continue
		}
		now[name] = strings.ReplaceAll(text, "[[A]]", "[[B]]")
		changes = append(changes, store.Change{Path: vpath.Path(name), Base: revOf([]byte(text)), Data: []byte(now[name])})
	}
	changes = append(changes, store.Change{Op: store.Move, Path: "A.md", To: "sub/B.md", Base: revOf([]byte(old["A.md"])), Data: []byte(now["sub/B.md"])})
	_, err = f.Commit(context.Background(), changes)
	return now, err
}

// filesIn is every file below a folder, hidden ones too.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		relative, _ := filepath.Rel(dir, name)
		files[filepath.ToSlash(relative)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func reopen(t *testing.T, dir, state string) *Folder {
	t.Helper()
	f, err := Open(dir, Options{State: state})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestEveryCallFails has each system call of a commit of many files fail in
// turn, with each error: all old bytes stay, and the next try works.
func TestEveryCallFails(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EROFS, syscall.EDQUOT, syscall.EACCES} {
		for n := 1; ; n++ {
			dir, state, old := manyNotes(t)
			f := reopen(t, dir, state)
			var mu sync.Mutex // guards what follows
			calls, failedCall := 0, ""
			f.fault = func(call, name string) error {
				mu.Lock()
				defer mu.Unlock()
				if calls++; calls == n {
					failedCall = call
					return errno
				}
				return nil
			}
			now, err := renameAll(f, old)
			if calls < n {
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%v: %d calls failed in turn", errno, n-1)
				break
			}
			f.fault = func(string, string) error { return nil }
			got := filesIn(t, dir)
			if err == nil {
				t.Fatalf("call %d (%s) failed, and nobody was told", n, failedCall)
			}
			if kind := fault.KindOf(err); kind == fault.Internal || strings.Contains(err.Error(), dir) {
				t.Errorf("call %d (%s): %v", n, failedCall, err)
			}
			if failedCall == "syncdir" && !maps.Equal(got, old) {
				old = got // the changes were made; only their durability is in doubt
				if !maps.Equal(got, now) {
					t.Fatalf("call %d (%s) left a mixture:\n%s", n, failedCall, cmp.Diff(now, got))
				}
				continue
			}
			if diff := cmp.Diff(old, got); diff != "" {
				t.Fatalf("call %d (%s) with %v changed the vault:\n%s", n, failedCall, errno, diff)
			}
			if now, err = renameAll(f, old); err != nil {
				t.Fatalf("after call %d (%s) failed, the next try does too: %v", n, failedCall, err)
			}
			if diff := cmp.Diff(now, filesIn(t, dir)); diff != "" {
				t.Fatalf("after call %d (%s):\n%s", n, failedCall, diff)
			}
		}
	}
}

// crashing makes the test binary a process that dies in the midst of a commit.
const crashing = "FOLDER_TEST_CRASH_AT"

// crashStatus is how such a process ends.
const crashStatus = 99

func TestMain(m *testing.M) {
	at, err := strconv.Atoi(os.Getenv(crashing))
	if err != nil {
		os.Exit(m.Run())
	}
	f, err := Open(os.Getenv("CRASH_DIR"), Options{State: os.Getenv("CRASH_STATE")})
	if err != nil {
		panic(err)
	}
	var calls atomic.Int64
	f.fault = func(string, string) error {
		if calls.Add(1) == int64(at) {
			os.Exit(crashStatus)
		}
		return nil
	}
	if _, err := renameAll(f, oldNotes()); err != nil {
		panic(err)
	}
}

// TestCrashAtEveryCall ends a process at each system call of a commit of many
// files: after the next start everything is old, or everything is new.
func TestCrashAtEveryCall(t *testing.T) {
	finished := 0
	for n := 1; ; n++ {
		dir, state, old := manyNotes(t)
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		crash := exec.CommandContext(t.Context(), self)
		crash.Env = append(os.Environ(), crashing+"="+strconv.Itoa(n), "CRASH_DIR="+dir, "CRASH_STATE="+state)
		output, err := crash.CombinedOutput()
		if err == nil {
			t.Logf("crashed at each of %d calls, finished at the next start %d times", n-1, finished)
			if finished == 0 {
				t.Error("no crash was ever rolled forward")
			}
			return
		}
		if status, ok := errors.AsType[*exec.ExitError](err); !ok || status.ExitCode() != crashStatus {
			t.Fatalf("%v\n%s", err, output)
		}
		now := expectNew(old)
		f := reopen(t, dir, state)
		got := filesIn(t, dir)
		switch {
		case maps.Equal(got, old):
		case maps.Equal(got, now):
			finished++
		default:
			t.Fatalf("a crash at call %d left a mixture:\n%s", n, cmp.Diff(now, got))
		}
		if left, _ := os.ReadDir(filepath.Join(f.state, "journal")); len(left) > 0 {
			t.Errorf("a crash at call %d left a journal", n)
		}
	}
}

func expectNew(old map[string]string) map[string]string {
	now := map[string]string{"sub/B.md": "the note, moved"}
	for name, text := range old {
		if name != "A.md" {
			now[name] = strings.ReplaceAll(text, "[[A]]", "[[B]]")
		}
	}
	return now
}

// TestRecoveryKeepsWhatOthersWrote finishes an interrupted commit around a
// note that was edited since.
func TestRecoveryKeepsWhatOthersWrote(t *testing.T) {
	dir, state, old := manyNotes(t)
	f := reopen(t, dir, state)
	f.fault = func(call, _ string) error {
		if call == "rename" {
			panic("crash")
		}
		return nil
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = renameAll(f, old)
	}()
	if err := os.WriteFile(filepath.Join(dir, "f0/0.md"), []byte("edited by a person"), 0o644); err != nil {
		t.Fatal(err)
	}
	reopen(t, dir, state)
	want := expectNew(old)
	want["f0/0.md"] = "edited by a person"
	if diff := cmp.Diff(want, filesIn(t, dir)); diff != "" {
		t.Error(diff)
	}
	kept, _ := filepath.Glob(filepath.Join(f.state, "conflicts", "*", "f0", "0.md"))
	if len(kept) != 1 {
		t.Errorf("our version of the note was not kept: %v", kept)
	}
}

func TestDamagedJournalIsDiscarded(t *testing.T) {
	dir, state, old := manyNotes(t)
	f := reopen(t, dir, state)
	journal := filepath.Join(f.state, "journal", "damaged")
	if err := os.MkdirAll(filepath.Dir(journal), 0o700); err != nil {
		t.Fatal(err)
	}
	content, err := encodeJournal([]*step{{Change: store.Change{Path: "A.md", Base: revOf([]byte(old["A.md"])), Data: []byte("x")}}})
	if err != nil {
		t.Fatal(err)
	}
	for cut := range content {
		if err := os.WriteFile(journal, content[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		reopen(t, dir, state)
		if diff := cmp.Diff(old, filesIn(t, dir)); diff != "" {
			t.Fatalf("cut at %d: %s", cut, diff)
		}
		if _, err := os.Stat(journal); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("cut at %d: the journal is still there", cut)
		}
	}
	if err := os.WriteFile(journal, content, 0o600); err != nil {
		t.Fatal(err)
	}
	reopen(t, dir, state)
	if got := filesIn(t, dir)["A.md"]; got != "x" {
		t.Errorf("a whole journal was not applied: %q", got)
	}
}

func contextWithTimeout(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), d)
}

func writeNote(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func vpathOf(name string) vpath.Path { return vpath.Path(name) }

// cannot skips a test for which a machine lacks something; in CI all is there.
func cannot(t *testing.T, why error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}
