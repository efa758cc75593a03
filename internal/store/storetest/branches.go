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

func conflictsAreListed(t *testing.T, s Subject) {
	file := write(t, s, "A.md", "ours")
	write(t, s, "B.md", "another")
	wantConflicted(t, s)
	theirs, diverges := diverge(t, s, "A.md", "theirs too")
	if !diverges {
		wantConflicted(t, s)
		return
	}
	sides := wantConflicted(t, s, "A.md")
	if len(sides) != 2 || sides[0].Rev != file.Rev || sides[0].Size != 4 || sides[1].Rev != theirs || sides[1].Size != 10 {
		t.Errorf("the sides are %+v", sides)
	}
	for _, side := range sides {
		if side.Modified.IsZero() || side.Deleted {
			t.Errorf("a side is %+v", side)
		}
	}
	for _, path := range []vpath.Path{"B.md", "no.md"} {
		_, err := s.Ancestor(t.Context(), path, theirs, plenty)
		wantKind(t, err, fault.NotFound)
	}
	_, err := s.Ancestor(t.Context(), "A.md", file.Rev, plenty)
	wantKind(t, err, fault.NotFound)
}

func conflictIsResolved(t *testing.T, s Subject) {
	own := write(t, s, "A.md", "ours")
	theirs, diverges := diverge(t, s, "A.md", "theirs")
	if !diverges {
		_, err := s.Ancestor(t.Context(), "A.md", own.Rev, plenty)
		wantKind(t, err, fault.NotFound)
		return
	}
	file := wantText(t, s, "A.md", "ours")
	results, err := s.Commit(t.Context(), []store.Change{{Path: "A.md", Base: file.Rev, Data: []byte("both"), Resolves: []store.Rev{theirs}}})
	if err != nil || len(results) != 1 || results[0].Rev == file.Rev {
		t.Fatalf("%+v, %v", results, err)
	}
	wantConflicts(t, results[0].Info)
	now := wantText(t, s, "A.md", "both")
	wantConflicts(t, now.Info)
	wantConflicted(t, s)
	_, err = s.Branch(t.Context(), "A.md", theirs, plenty)
	wantKind(t, err, fault.NotFound)
	write(t, s, "A.md", "changed again")
}

func changedConflictIsNotResolved(t *testing.T, s Subject) {
	write(t, s, "A.md", "ours")
	other := write(t, s, "B.md", "another")
	theirs, diverges := diverge(t, s, "A.md", "theirs")
	if !diverges {
		return
	}
	file := wantText(t, s, "A.md", "ours")
	for name, change := range map[string]store.Change{
		"a stale file":        {Path: "A.md", Base: other.Rev, Data: []byte("x"), Resolves: []store.Rev{theirs}},
		"another branch":      {Path: "A.md", Base: file.Rev, Data: []byte("x"), Resolves: []store.Rev{"1-0"}},
		"one branch too many": {Path: "A.md", Base: file.Rev, Data: []byte("x"), Resolves: []store.Rev{theirs, "1-0"}},
		"a file without one":  {Path: "B.md", Base: other.Rev, Data: []byte("x"), Resolves: []store.Rev{theirs}},
		"a move":              {Op: store.Move, Path: "A.md", To: "C.md", Base: file.Rev, Resolves: []store.Rev{theirs}},
	} {
		if _, err := s.Commit(t.Context(), []store.Change{change}); fault.KindOf(err) != fault.Conflict {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantConflicts(t, wantText(t, s, "A.md", "ours").Info, theirs)
	wantText(t, s, "B.md", "another")
	wantAbsent(t, s, "C.md")
}

// wantConflicted checks which file is in conflict, if any, and returns its sides.
func wantConflicted(t *testing.T, s store.Store, want ...vpath.Path) (sides []store.Side) {
	t.Helper()
	found, err := s.Conflicted(t.Context())
	var paths []vpath.Path
	for _, conflict := range found {
		paths, sides = append(paths, conflict.Path), conflict.Sides
	}
	if err != nil || !slices.Equal(paths, want) {
		t.Errorf("in conflict are %q, %v, want %q", paths, err, want)
	}
	return sides
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
