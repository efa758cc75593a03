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
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/vault"
)

// next returns the next batch of changes.
func next(t *testing.T, changes <-chan vault.Changed) vault.Changed {
	t.Helper()
	select {
	case changed := <-changes:
		slices.Sort(changed.Paths)
		return changed
	case <-time.After(patience):
		t.Fatal("no change was reported")
	}
	return vault.Changed{}
}

func expectChange(t *testing.T, what string, changes <-chan vault.Changed, listed bool, paths ...vpath.Path) {
	t.Helper()
	if got := next(t, changes); got.Listed != listed || !slices.Equal(got.Paths, paths) {
		t.Errorf("%s: reported %+v, want %q, listed %v", what, got, paths, listed)
	}
}

// expectSilence checks that nothing is reported. It needs fake time.
func expectSilence(t *testing.T, what string, changes <-chan vault.Changed) {
	t.Helper()
	select {
	case got := <-changes:
		t.Errorf("%s: reported %+v", what, got)
	case <-time.After(time.Hour):
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

func TestOwnChangesAreReported(t *testing.T) { inBubble(t, testOwnChangesAreReported) }

func testOwnChangesAreReported(t *testing.T) {
	v := open(t, mem.New(nil))
	changes := v.Whole().Changes(t.Context())
	made := commit(t, v, store.Change{Path: "A.md", Data: []byte("a")}, store.Change{Path: "B.md", Data: []byte("b")})
	expectChange(t, "two new notes", changes, true, "A.md", "B.md")
	if _, err := v.Edit(t.Context(), "A.md", "", func(*md.Note) ([]md.Splice, error) {
		return []md.Splice{{Text: []byte("more ")}}, nil
	}); err != nil {
		t.Fatal(err)
	}
	expectChange(t, "an edit", changes, false, "A.md")
	moved := commit(t, v, store.Change{Op: store.Move, Path: "B.md", To: "C.md", Base: made[1].Rev})
	expectChange(t, "a rename", changes, true, "B.md", "C.md")
	commit(t, v, store.Change{Op: store.Trash, Path: "C.md", Base: moved[0].Rev})
	expectChange(t, "a trashed note", changes, true, "C.md")
	expectSilence(t, "nothing happened", changes)
}

func TestOutsideChangesAreReported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "A.md")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a")
	v := openFolder(t, dir, slog.New(slog.DiscardHandler), vault.Options{})
	awaitWatch(t, v, dir)
	changes := v.Whole().Changes(t.Context())
	write("b")
	expectChange(t, "an edit", changes, false, "A.md")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(name, later, later); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "B.md"), []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	expectChange(t, "a touch, then a new note", changes, true, "B.md")
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	expectChange(t, "a removal", changes, true, "A.md")
}

// TestQuickEditsAreOneBatch: an editor's save or a checkout is many events and one change.
func TestQuickEditsAreOneBatch(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := mem.New(map[string]string{"A.md": "a"})
		v := open(t, s)
		changes := v.Whole().Changes(t.Context())
		for i := range 20 {
			s.Outside("A.md", []byte("b"+string(rune('a'+i))))
		}
		expectChange(t, "20 edits", changes, false, "A.md")
		expectSilence(t, "after them", changes)
	})
}

// TestSlowReaderBlocksNobody makes many changes before the reader takes any.
func TestSlowReaderBlocksNobody(t *testing.T) { inBubble(t, testSlowReaderBlocksNobody) }

func testSlowReaderBlocksNobody(t *testing.T) {
	v := open(t, mem.New(nil))
	ctx, cancel := context.WithCancel(t.Context())
	changes := v.Whole().Changes(ctx)
	const notes = 300
	for i := range notes {
		path := vpath.Path(string(rune('a'+i%26)) + string(rune('a'+i/26)) + ".md")
		commit(t, v, store.Change{Path: path, Data: []byte("x")})
	}
	reported := 0
	for batches := 0; reported < notes; batches++ {
		reported += len(next(t, changes).Paths)
		if batches > 3 {
			t.Fatalf("%d batches", batches)
		}
	}
	cancel()
	if _, open := <-changes; open {
		t.Error("the channel is still open after its context has ended")
	}
}
