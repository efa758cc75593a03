package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system/disk"
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

// filesIn returns every file below a folder, including hidden ones.
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

func reopen(t testing.TB, dir, state string) *Folder {
	t.Helper()
	f, err := Open(dir, Options{State: state})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
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

// TestRecoveryKeepsWhatOthersWrote finishes an interrupted commit although one of its notes was edited since.
func TestRecoveryKeepsWhatOthersWrote(t *testing.T) {
	dir, state, old := manyNotes(t)
	f := reopen(t, dir, state)
	breakFrom(f, "exchange")
	if _, err := renameAll(f, old); err == nil {
		t.Fatal("no error")
	}
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

func writeNote(t testing.TB, dir, name, text string) {
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

// cannot skips a test that needs something this machine lacks. In CI nothing may be lacking.
func cannot(t *testing.T, why error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// TestRecoveryOfManyLinks finishes an interrupted rename of a note with 500 backlinks. It syncs each folder a few times
// only, and not once for each note.
func TestRecoveryOfManyLinks(t *testing.T) {
	dir, state, old := interruptedRename(t)
	calls := map[string]int{}
	var on vaultDisk
	on.calls.Before(func(c disk.Call) error {
		calls[c.Kind]++
		return nil
	})
	f, err := open(dir, Options{State: state}, on)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if diff := cmp.Diff(expectNew(old), filesIn(t, dir)); diff != "" {
		t.Error(diff)
	}
	total := 0
	for _, count := range calls {
		total += count
	}
	if calls["syncdir"] > 40 || total > 10*len(old) {
		t.Errorf("recovering %d notes took %d calls: %v", len(old), total, calls)
	}
}

func BenchmarkRecoveryOfManyLinks(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		dir, state, _ := interruptedRename(b)
		b.StartTimer()
		f, err := Open(dir, Options{State: state})
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

// interruptedRename leaves the journal of a rename of a note with 500 backlinks, half of which are changed.
func interruptedRename(t testing.TB) (dir, state string, old map[string]string) {
	dir, state = quickDir(t), quickDir(t)
	old = map[string]string{"A.md": "the note"}
	for i := range 500 {
		old[fmt.Sprintf("f%d/%d.md", i%10, i)] = strings.Repeat("text\n", 200) + fmt.Sprintf("%d links to [[A]]", i)
	}
	for name, text := range old {
		writeNote(t, dir, name, text)
	}
	f := reopen(t, dir, state)
	exchanged := 0
	hook(f, func(c disk.Call) error {
		if c.Kind == "exchange" {
			exchanged++
		}
		if exchanged > 250 {
			return syscall.EIO
		}
		return nil
	})
	if _, err := renameAll(f, old); err == nil {
		t.Fatal("no error")
	}
	f.Close()
	return dir, state, old
}
