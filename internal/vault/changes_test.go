package vault_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/vault"
)

// next is the next that a feed tells.
func next(t *testing.T, changes <-chan vault.Changed) vault.Changed {
	t.Helper()
	select {
	case changed := <-changes:
		slices.Sort(changed.Paths)
		return changed
	case <-time.After(5 * time.Second):
		t.Fatal("no change was told")
	}
	return vault.Changed{}
}

func expectChange(t *testing.T, what string, changes <-chan vault.Changed, listed bool, paths ...vpath.Path) {
	t.Helper()
	if got := next(t, changes); got.Listed != listed || !slices.Equal(got.Paths, paths) {
		t.Errorf("%s: told %+v, want %q, listed %v", what, got, paths, listed)
	}
}

func expectSilence(t *testing.T, what string, changes <-chan vault.Changed) {
	t.Helper()
	select {
	case got := <-changes:
		t.Errorf("%s: told %+v", what, got)
	case <-time.After(200 * time.Millisecond):
	}
}

func commit(t *testing.T, v *vault.Vault, changes ...store.Change) []store.Result {
	t.Helper()
	results, err := v.Commit(t.Context(), changes)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func TestOwnChangesAreTold(t *testing.T) {
	v := open(t, mem.New(nil))
	changes := v.Whole().Changes(t.Context())
	made := commit(t, v, store.Change{Path: "A.md", Data: []byte("a")}, store.Change{Path: "B.md", Data: []byte("b")})
	expectChange(t, "two notes come", changes, true, "A.md", "B.md")
	if _, err := v.Edit(t.Context(), "A.md", "", func(*md.Note) ([]md.Splice, error) {
		return []md.Splice{{Text: []byte("more ")}}, nil
	}); err != nil {
		t.Fatal(err)
	}
	expectChange(t, "an edit", changes, false, "A.md")
	moved := commit(t, v, store.Change{Op: store.Move, Path: "B.md", To: "C.md", Base: made[1].Rev})
	expectChange(t, "a rename", changes, true, "B.md", "C.md")
	commit(t, v, store.Change{Op: store.Trash, Path: "C.md", Base: moved[0].Rev})
	expectChange(t, "a note goes", changes, true, "C.md")
	expectSilence(t, "nothing happened", changes)
}

func TestOutsideChangesAreTold(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "A.md")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a")
	s, err := folder.Open(dir, folder.Options{State: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	v := open(t, s)
	time.Sleep(300 * time.Millisecond) // until the watches are set
	changes := v.Whole().Changes(t.Context())
	write("b")
	expectChange(t, "an edit", changes, false, "A.md")
	for i := range 20 {
		write("b" + string(rune('a'+i)))
	}
	batches := 0
	for silent := false; !silent; {
		select {
		case <-changes:
			batches++
		case <-time.After(300 * time.Millisecond):
			silent = true
		}
	}
	if batches < 1 || batches > 5 {
		t.Errorf("20 edits at once were told in %d batches", batches)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(name, later, later); err != nil {
		t.Fatal(err)
	}
	expectSilence(t, "a touch", changes)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	expectChange(t, "a removal", changes, true, "A.md")
}

// TestSlowReadersHoldNobodyUp changes a thousand notes that nobody reads of.
func TestSlowReadersHoldNobodyUp(t *testing.T) {
	v := open(t, mem.New(nil))
	ctx, cancel := context.WithCancel(t.Context())
	changes := v.Whole().Changes(ctx)
	const notes = 1000
	for i := range notes {
		commit(t, v, store.Change{Path: vpath.Path(string(rune('a'+i%26)) + string(rune('a'+i/26)) + ".md"), Data: []byte("x")})
	}
	told := 0
	for batches := 0; told < notes; batches++ {
		told += len(next(t, changes).Paths)
		if batches > 3 {
			t.Fatalf("%d batches", batches)
		}
	}
	cancel()
	if _, open := <-changes; open {
		t.Error("the feed goes on after its end")
	}
}
