package vault_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/call"
	"obsidian-mcp/internal/vault/history"
)

// recorded opens a vault that records its changes.
func recorded(t *testing.T, s store.Store, h *history.History) *vault.Vault {
	t.Helper()
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{History: h})
	t.Cleanup(func() { v.Close() })
	if _, err := v.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	return v
}

// pastChanges lists the changes that a view shows, newest first.
func pastChanges(t *testing.T, view *vault.View) []vault.PastChange {
	t.Helper()
	var all []vault.PastChange
	if err := view.EachPastChange(t.Context(), func(past vault.PastChange) bool {
		all = append(all, past)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// watching is a store that runs a function before each commit.
type watching struct {
	*mem.Store
	commit func()
	fail   error // returned by commits that were made
}

func (w *watching) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	w.commit()
	results, err := w.Store.Commit(ctx, changes)
	return results, errors.Join(err, w.fail)
}

func write(path vpath.Path, base store.File, text string) []store.Change {
	return []store.Change{{Path: path, Base: base.Rev, Data: []byte(text)}}
}

func read(t *testing.T, s store.Store, path vpath.Path) store.File {
	t.Helper()
	file, err := s.Read(t.Context(), path, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestChangeIsRecordedBeforeItIsMade reads the history from within the commit: the
// change is there with both contents, the tool and the caller.
func TestChangeIsRecordedBeforeItIsMade(t *testing.T) {
	t.Parallel()
	h := history.Open(history.Options{Dir: filepath.Join(t.TempDir(), "h")})
	s := &watching{Store: mem.New(map[string]string{"A.md": "old"})}
	seen := 0
	s.commit = func() {
		_ = h.Each(t.Context(), func(change history.Change) bool {
			seen++
			before, err := h.Content(t.Context(), change, change.Files[0].Before)
			sameCall := change.Tool == "append_note" && change.Client == "someone" && change.Token == "phone"
			if err != nil || string(before) != "old" || change.Made || !sameCall {
				t.Errorf("%q, %v, %+v", before, err, change)
			}
			return true
		})
	}
	v := recorded(t, s, h)
	caller := call.Caller{Client: "some\none\x1b", Token: "phone"}
	ctx, made := call.Begin(call.WithCaller(t.Context(), caller), "append_note")
	if _, err := v.Commit(ctx, write("A.md", read(t, s, "A.md"), "new")); err != nil || seen != 1 {
		t.Fatalf("%v, seen %d times", err, seen)
	}
	want := []call.File{{Path: "A.md", Before: store.Hash([]byte("old")), After: store.Hash([]byte("new"))}}
	if diff := cmp.Diff(want, made.ChangedFiles()); diff != "" {
		t.Error(diff)
	}
	all := pastChanges(t, v.Whole())
	if len(all) != 1 || all[0].ID != made.ChangeID() || !all[0].Made {
		t.Errorf("%+v, but the call says %q", all, made.ChangeID())
	}
}

// TestUnrecordableChangeIsRefused puts a file where the history's folder would be. The
// change is refused, unless unrecorded changes are allowed.
func TestUnrecordableChangeIsRefused(t *testing.T) {
	t.Parallel()
	for _, unrecorded := range []bool{false, true} {
		taken := filepath.Join(t.TempDir(), "taken")
		if err := os.WriteFile(taken, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		s := mem.New(map[string]string{"A.md": "old"})
		v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{
			History: history.Open(history.Options{Dir: filepath.Join(taken, "h")}), Unrecorded: unrecorded,
		})
		_, err := v.Commit(t.Context(), write("A.md", read(t, s, "A.md"), "new"))
		now := s.Files()["A.md"]
		v.Close()
		if unrecorded {
			if err != nil || now != "new" {
				t.Errorf("allowed: %v, and the note is %q", err, now)
			}
			continue
		}
		if !errors.Is(err, fault.StoreUnavailable) || now != "old" || fault.HintOf(err) == "" {
			t.Errorf("refused: %v, and the note is %q", err, now)
		} else if strings.Contains(err.Error(), taken) {
			t.Errorf("the error names a path of the machine: %v", err)
		}
	}
}

// TestConflictingChangeIsNotListed: a commit that met a conflict has changed nothing.
func TestConflictingChangeIsNotListed(t *testing.T) {
	t.Parallel()
	s := mem.New(map[string]string{"A.md": "old"})
	v := recorded(t, s, history.Open(history.Options{Dir: t.TempDir()}))
	stale := read(t, s, "A.md")
	s.Outside("A.md", []byte("theirs"))
	stale.Data = nil
	if _, err := v.Commit(t.Context(), write("A.md", stale, "new")); !errors.Is(err, fault.Conflict) {
		t.Errorf("%v", err)
	}
	withOld := write("A.md", stale, "new")
	withOld[0].Was = []byte("old")
	if _, err := v.Commit(t.Context(), withOld); !errors.Is(err, fault.Conflict) {
		t.Errorf("%v", err)
	}
	if all := pastChanges(t, v.Whole()); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// TestUnsettledChangesAreSettledByTheNotes: if the outcome of a change was never
// recorded, the notes show whether it was made.
func TestUnsettledChangesAreSettledByTheNotes(t *testing.T) {
	t.Parallel()
	unavailable := fault.StoreUnavailable.Errorf("the connection was lost")
	begin := func(h *history.History, file history.DraftFile) {
		_, _ = h.Begin(context.Background(), history.Draft{Tool: "t", Files: []history.DraftFile{file}})
	}
	for name, test := range map[string]struct {
		crash func(h *history.History, s *watching, v *vault.Vault)
		made  bool
	}{
		"made, but the answer was lost": {func(_ *history.History, s *watching, v *vault.Vault) {
			s.fail = unavailable
			_, _ = v.Commit(context.Background(), []store.Change{{Path: "N.md", Data: []byte("new")}})
		}, true},
		"recorded, and the process died": {func(h *history.History, _ *watching, _ *vault.Vault) {
			begin(h, history.DraftFile{Op: history.Write, Path: "A.md", Before: []byte("old"), After: []byte("new")})
		}, false},
		"recorded and made, and the process died": {func(h *history.History, s *watching, _ *vault.Vault) {
			begin(h, history.DraftFile{Op: history.Trash, Path: "B.md", Before: []byte("b")})
			s.Outside("B.md", nil)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := history.Open(history.Options{Dir: t.TempDir()})
			s := &watching{Store: mem.New(map[string]string{"A.md": "old", "B.md": "b"}), commit: func() {}}
			v := recorded(t, s, h)
			test.crash(h, s, v)
			s.fail = nil
			for range 2 {
				if all := pastChanges(t, v.Whole()); (len(all) == 1) != test.made {
					t.Errorf("%+v", all)
				}
			}
		})
	}
}

// TestLimitedHistory: callers see only the open files of a change, and nothing of a
// change that moved a closed file.
func TestLimitedHistory(t *testing.T) {
	t.Parallel()
	s := mem.New(map[string]string{"A.md": "a", "private/P.md": "[[A]]", "B.md": "b", "C.md": "[[B]]"})
	v := recorded(t, s, history.Open(history.Options{Dir: t.TempDir()}))
	ctx := call.WithCaller(t.Context(), call.Caller{Client: "desk", Token: "owner@example.com"})
	commit := func(changes ...store.Change) {
		t.Helper()
		if _, err := v.Commit(ctx, changes); err != nil {
			t.Fatal(err)
		}
	}
	commit(
		store.Change{Path: "private/P.md", Base: read(t, s, "private/P.md").Rev, Data: []byte("[[Z]]")},
		store.Change{Op: store.Move, Path: "A.md", To: "Z.md", Base: read(t, s, "A.md").Rev},
	)
	commit(
		store.Change{Path: "C.md", Base: read(t, s, "C.md").Rev, Data: []byte("[[private/B]]")},
		store.Change{Op: store.Move, Path: "B.md", To: "private/B.md", Base: read(t, s, "B.md").Rev},
	)
	open, err := scope.New(nil, []string{"private/"})
	if err != nil {
		t.Fatal(err)
	}
	view := v.View(open)
	all := pastChanges(t, view)
	if len(all) != 1 || len(all[0].Files) != 1 || all[0].Files[0].Path != "A.md" || all[0].Token != "" || all[0].Client != "desk" {
		t.Fatalf("%+v", all)
	}
	hidden := pastChanges(t, v.Whole())[0].ID
	if _, err := view.PastChange(t.Context(), hidden); !errors.Is(err, fault.NotFound) {
		t.Errorf("a change of closed files is visible: %v", err)
	}
	if err := undo(t, view, all[0]); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"A.md": "a", "private/P.md": "[[A]]", "private/B.md": "b", "C.md": "[[private/B]]"}
	if diff := cmp.Diff(want, s.Files()); diff != "" {
		t.Error(diff)
	}
	s.Outside("private/P.md", []byte("theirs"))
	redo, err := view.PastChange(t.Context(), pastChanges(t, view)[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := undo(t, view, redo); err != nil || s.Files()["private/P.md"] != "theirs" || s.Files()["Z.md"] != "a" {
		t.Errorf("%v, %v", err, s.Files())
	}
}

// undo undoes changes, newest first, as one unit.
func undo(t *testing.T, view *vault.View, changes ...vault.PastChange) error {
	t.Helper()
	plan := view.NewUndo(t.Context(), changes, false)
	for _, change := range changes {
		if err := plan.Add(t.Context(), change); err != nil {
			return err
		}
	}
	if err := plan.Finish(t.Context()); err != nil {
		return err
	}
	if err := plan.Refusal(); err != nil {
		return err
	}
	return plan.Commit(t.Context())
}
