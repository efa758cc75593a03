package folder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/testkit/formats"
)

// TestJournalsOfAllVersions finishes the commit that a program of each version of the journal was killed in.
func TestJournalsOfAllVersions(t *testing.T) {
	formats.Check(t, formats.Format{Name: "folder-journal", Oldest: 1, Newest: journalVersion}, writeFormat, func(t *testing.T, dir string, _ int) {
		vault, state := filepath.Join(dir, "vault"), filepath.Join(dir, "state")
		journals := filepath.Join(state, ID(realPath(t, vault)), journalFolder)
		if err := os.CopyFS(journals, os.DirFS(filepath.Join(dir, "journal"))); err != nil {
			t.Fatal(err)
		}
		f, err := Open(vault, Options{State: state})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for name, want := range map[string]string{
			"Plan.md": "", "work/Plan 2.md": "# Plan 2\n", "Links.md": "See [[Plan 2]].\n", "Old.md": "", ".trash/Old.md": "old\n",
			".obsidian/app.json": `{"newFileLocation":"current"}`,
		} {
			if got, _ := os.ReadFile(filepath.Join(vault, filepath.FromSlash(name))); string(got) != want {
				t.Errorf("%s holds %q, want %q", name, got, want)
			}
		}
		if left, _ := os.ReadDir(journals); len(left) > 0 {
			t.Errorf("the journal %s is still there", left[0].Name())
		}
	})
}

// writeFormat makes a vault, and the journal of a commit that was killed before it changed anything.
func writeFormat(t *testing.T, dir string) {
	before := map[string]string{
		"Plan.md": "# Plan\n", "Links.md": "See [[Plan]].\n", "Old.md": "old\n", ".obsidian/app.json": `{}`,
	}
	for name, text := range before {
		name = filepath.Join(dir, "vault", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rev := func(name string) store.Rev { return revOf([]byte(before[name])) }
	f, err := Open(filepath.Join(dir, "vault"), Options{State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	changes := []store.Change{
		{Op: store.Move, Path: "Plan.md", To: "work/Plan 2.md", Base: rev("Plan.md"), Data: []byte("# Plan 2\n")},
		{Op: store.Write, Path: "Links.md", Base: rev("Links.md"), Data: []byte("See [[Plan 2]].\n")},
		{Op: store.Trash, Path: "Old.md", To: ".trash/Old.md", Base: rev("Old.md")},
		{Op: store.WriteConfig, Config: "app.json", Base: rev(".obsidian/app.json"), Data: []byte(`{"newFileLocation":"current"}`)},
	}
	steps := make([]*step, len(changes))
	for i := range changes {
		steps[i] = &step{Change: changes[i]}
	}
	if err := f.writeJournal("0123456789abcdef", steps); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "journal"), os.DirFS(filepath.Join(f.state, journalFolder))); err != nil {
		t.Fatal(err)
	}
}

func realPath(t *testing.T, name string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// TestNewerJournalIsLeftAlone checks that a commit that only a newer program can finish keeps notes from being changed
// and is not removed.
func TestNewerJournalIsLeftAlone(t *testing.T) {
	dir := realPath(t, t.TempDir())
	writeNote(t, dir, "A.md", "a")
	state := t.TempDir()
	journals := filepath.Join(state, ID(dir), journalFolder)
	newer, err := encodeJournal([]*step{{Change: store.Change{Op: store.Trash, Path: "A.md", Base: revOf([]byte("a"))}}})
	if err != nil {
		t.Fatal(err)
	}
	newer[len(journalMagic)+3]++ // its sum is computed in another way, for all we know
	writeNote(t, journals, "0123456789abcdef", string(newer))
	f, err := Open(dir, Options{State: state})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range 2 {
		_, err = f.Commit(t.Context(), []store.Change{{Path: "B.md", Base: store.Absent, Data: []byte("b")}})
		if !errors.Is(err, fault.StoreUnavailable) || !strings.Contains(err.Error(), "newer version") || !strings.Contains(fault.HintOf(err), "newer version") {
			t.Errorf("%v (%s)", err, fault.HintOf(err))
		}
	}
	if file, err := f.Read(t.Context(), "A.md", 100); err != nil || string(file.Data) != "a" {
		t.Errorf("%q, %v", file.Data, err)
	}
	if left, err := os.ReadFile(filepath.Join(journals, "0123456789abcdef")); err != nil || string(left) != string(newer) {
		t.Errorf("the journal is now %q, %v", left, err)
	}
}
