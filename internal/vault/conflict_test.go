package vault_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/history"
)

// countingCommits counts the attempts to write.
type countingCommits struct {
	*mem.Store
	commits int
	late    bool // conflicts are only found when writing
}

func (s *countingCommits) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	file, err := s.Store.Read(ctx, path, limit)
	if s.late {
		file.Conflicts = nil
	}
	return file, err
}

func (s *countingCommits) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	s.commits++
	return s.Store.Commit(ctx, changes)
}

func prepend(*md.Note) ([]md.Splice, error) { return []md.Splice{{Text: []byte("new ")}}, nil }

// TestNoteInConflictIsNotEdited: the error says how to see the other side.
func TestNoteInConflictIsNotEdited(t *testing.T) {
	t.Parallel()
	s := &countingCommits{Store: mem.New(map[string]string{"d/A.md": "ours"})}
	side := s.Diverge("d/A.md", []byte("theirs"))
	view := open(t, s).Whole()
	_, err := view.Edit(t.Context(), "d/A.md", "", prepend)
	if fault.KindOf(err) != fault.Conflict || !errors.Is(err, store.ErrUnresolved) || s.commits != 0 {
		t.Errorf("after %d commits: %v", s.commits, err)
	}
	if !strings.Contains(err.Error(), "'d/A.md'") || !strings.Contains(fault.HintOf(err), "read_note with revision="+string(side)) {
		t.Errorf("%v (%s)", err, fault.HintOf(err))
	}
	if file, err := view.Branch(t.Context(), "d/A.md", side, 10); err != nil || string(file.Data) != "theirs" {
		t.Errorf("the other side is %q, %v", file.Data, err)
	}
	if got := view.Conflicts(t.Context(), "d/A.md"); !slices.Equal(got, []store.Rev{side}) {
		t.Errorf("the conflicts are %q", got)
	}
	same := func(*md.Note) ([]md.Splice, error) { return nil, nil }
	if _, err := view.Edit(t.Context(), "d/A.md", "", same); err != nil {
		t.Errorf("an edit that changes nothing: %v", err)
	}
}

// TestConflictFoundByCommitIsNotRetried: the store may find a conflict only in Commit.
func TestConflictFoundByCommitIsNotRetried(t *testing.T) {
	t.Parallel()
	s := &countingCommits{Store: mem.New(map[string]string{"A.md": "ours"}), late: true}
	s.Diverge("A.md", []byte("theirs"))
	_, err := open(t, s).Whole().Edit(t.Context(), "A.md", "", prepend)
	if fault.KindOf(err) != fault.Conflict || !errors.Is(err, store.ErrUnresolved) || s.commits != 1 {
		t.Errorf("after %d commits: %v", s.commits, err)
	}
}

func TestCheckResolved(t *testing.T) {
	t.Parallel()
	const merge, choose = "shows the other side; resolve_conflict merges them", "shows the other side; resolve_conflict keeps the one that you choose"
	for _, test := range []struct {
		path  vpath.Path
		sides []store.Rev
		hint  string // "" for no error
	}{
		{"A.md", nil, ""},
		{"A.md", []store.Rev{"2-a"}, "read_note with revision=2-a " + merge},
		{"A.canvas", []store.Rev{"2-a", "2-b"}, "read_note with revision=2-a or 2-b " + choose},
		{"A.md", []store.Rev{"2-a", "2-b", "2-c", "2-d"}, "read_note with revision=2-a or 2-b or 2-c " + merge},
		{"A.png", []store.Rev{"2-a"}, "resolve_conflict keeps the version that you choose"},
	} {
		err := vault.CheckResolved(store.Info{Path: test.path, Conflicts: test.sides})
		if fault.HintOf(err) != test.hint || (err == nil) != (test.hint == "") {
			t.Errorf("%s with %q: %v (%s), want (%s)", test.path, test.sides, err, fault.HintOf(err), test.hint)
		}
		if err != nil && vault.MayPass(err) {
			t.Errorf("%v would be retried", err)
		}
	}
}

// unreachable fails commits: before they change anything, or after.
type unreachable struct {
	*mem.Store
	writes bool
}

func (s unreachable) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	if s.writes {
		if _, err := s.Store.Commit(ctx, changes); err != nil {
			return nil, err
		}
	}
	return nil, fault.StoreUnavailable.Errorf("no answer")
}

// TestUncertainResolution: whether a conflict was resolved whose store gave no answer is told by the note; that the dropped side is no
// file of its own proves nothing.
func TestUncertainResolution(t *testing.T) {
	t.Parallel()
	for _, writes := range []bool{false, true} {
		s := mem.New(map[string]string{"A.md": "ours"})
		side := s.Diverge("A.md", []byte("theirs"))
		v := recorded(t, unreachable{s, writes}, history.Open(history.Options{Dir: filepath.Join(t.TempDir(), "h")}))
		change := store.Change{Path: "A.md", Base: read(t, s, "A.md").Rev, Data: []byte("both"), Resolves: []store.Rev{side}}
		if _, err := v.Commit(t.Context(), []store.Change{change}); fault.KindOf(err) != fault.StoreUnavailable {
			t.Fatal(err)
		}
		if listed := pastChanges(t, v.Whole()); (len(listed) == 1) != writes {
			t.Errorf("written %v: listed are %+v", writes, listed)
		} else if writes && (len(listed[0].Files) != 2 || listed[0].Files[1].Op != history.Side || listed[0].Files[1].Path[:len("A (conflict ")] != "A (conflict ") {
			t.Errorf("%+v", listed[0].Files)
		}
	}
}
