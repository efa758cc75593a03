package storetest

import (
	"errors"
	"slices"
	"testing"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

func unknownBranch(t *testing.T, s Subject) {
	own := write(t, s, "d/A.md", "text")
	if len(own.Conflicts) > 0 {
		t.Errorf("a file that only one device wrote has the conflicts %q", own.Conflicts)
	}
	for _, path := range []vpath.Path{"d/A.md", "d", "no.md"} {
		for _, rev := range []store.Rev{own.Rev, "1-0123456789abcdef", "no revision", store.Absent} {
			_, err := s.Branch(t.Context(), path, rev, plenty)
			wantKind(t, err, fault.NotFound)
		}
	}
}

func bothSidesAreRead(t *testing.T, s Subject) {
	write(t, s, "A.md", "ours")
	write(t, s, "B.md", "another")
	theirs, diverges := diverge(t, s, "A.md", "theirs")
	if !diverges {
		return
	}
	file := wantText(t, s, "A.md", "ours")
	wantConflicts(t, file.Info, theirs)
	info, err := s.Stat(t.Context(), "A.md")
	if err != nil {
		t.Fatal(err)
	}
	wantConflicts(t, info, theirs)
	wantConflicts(t, scan(t, s, nothing)["A.md"].Info, theirs)

	side, err := s.Branch(t.Context(), "A.md", theirs, 6)
	if err != nil || string(side.Data) != "theirs" || side.Rev != theirs || side.Path != "A.md" || side.Size != 6 {
		t.Errorf("the other side is %q, %+v, %v", side.Data, side.Info, err)
	}
	_, err = s.Branch(t.Context(), "A.md", theirs, 5)
	wantKind(t, err, fault.InvalidArgument)
	_, err = s.Branch(t.Context(), "A.md", file.Rev, plenty)
	wantKind(t, err, fault.NotFound)
	_, err = s.Branch(t.Context(), "B.md", theirs, plenty)
	wantKind(t, err, fault.NotFound)
}

func conflictIsNotChanged(t *testing.T, s Subject) {
	write(t, s, "A.md", "ours")
	other := write(t, s, "B.md", "another")
	theirs, diverges := diverge(t, s, "A.md", "theirs")
	if !diverges {
		return
	}
	file := wantText(t, s, "A.md", "ours")
	for _, op := range []store.Op{store.Write, store.Move, store.Trash} {
		_, err := s.Commit(t.Context(), []store.Change{
			{Path: "B.md", Base: other.Rev, Data: []byte("changed")},
			{Op: op, Path: "A.md", To: "C.md", Base: file.Rev, Data: []byte("mine")},
		})
		wantKind(t, err, fault.Conflict)
		if !errors.Is(err, store.ErrUnresolved) {
			t.Errorf("ErrUnresolved is not in the chain of %v", err)
		}
	}
	_, err := s.Commit(t.Context(), []store.Change{{Path: "A.md", Data: []byte("mine")}})
	wantKind(t, err, fault.AlreadyExists)
	wantConflicts(t, wantText(t, s, "A.md", "ours").Info, theirs)
	wantText(t, s, "B.md", "another")
	wantAbsent(t, s, "C.md")
}

// diverge puts a file into conflict. If the store has only one version of each file, it checks instead that the store
// reports no conflict.
func diverge(t *testing.T, s Subject, path vpath.Path, text string) (rev store.Rev, diverges bool) {
	t.Helper()
	if s.Diverge != nil {
		return s.Diverge(path, []byte(text)), true
	}
	s.Outside(path, []byte(text))
	wantConflicts(t, wantText(t, s, path, text).Info)
	wantConflicts(t, scan(t, s, nothing)[path].Info)
	return "", false
}

func wantConflicts(t *testing.T, info store.Info, want ...store.Rev) {
	t.Helper()
	if !slices.Equal(info.Conflicts, want) {
		t.Errorf("%s has the conflicts %q, want %q", info.Path, info.Conflicts, want)
	}
}
