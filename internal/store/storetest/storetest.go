// Package storetest checks the promises of package store. Every store runs the suite in its own tests.
package storetest

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

// Subject is a store under test, with functions that change it as another program would.
type Subject struct {
	store.Store
	Outside func(path vpath.Path, data []byte) // nil data removes the file

	// Diverge changes an existing file like another device at the same time, so that data is the losing side of a
	// conflict, and returns its revision. It is nil for stores in which conflicts cannot occur.
	Diverge func(path vpath.Path, data []byte) store.Rev
}

// Run runs the suite. Each test gets a new, empty store.
func Run(t *testing.T, open func(t *testing.T) Subject) {
	for _, test := range suite {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			subject := open(t)
			t.Cleanup(func() { subject.Close() })
			test.check(t, subject)
		})
	}
}

var suite = []struct {
	name  string
	check func(*testing.T, Subject)
}{
	{"a written file can be read", writtenIsRead},
	{"several files are read at once", severalAtOnce},
	{"a new file gets the time of its change", givenTime},
	{"an absent file is not found", absentIsNotFound},
	{"a folder is not a file", folderIsNotFile},
	{"an empty file is a file", emptyFile},
	{"creating does not replace", createDoesNotReplace},
	{"a stale revision is a conflict", staleIsConflict},
	{"a vanished file is a conflict", vanishedIsConflict},
	{"moving keeps the content", moveKeepsContent},
	{"moving can change the content", moveChangesContent},
	{"moving does not replace", moveDoesNotReplace},
	{"a name can change its case", respell},
	{"folders that are left empty are removed", removesFolders},
	{"a folder changes its case, or nothing does", respellFolder},
	{"the trash keeps everything", trashKeepsEverything},
	{"a commit makes all changes or none", commitIsAtomic},
	{"the trash path is known in advance", trashPathIsKnown},
	{"a failed commit leaves nothing behind", failedLeavesNothing},
	{"a file over the limit is refused", overLimit},
	{"a scan visits everything once", scanVisitsAll},
	{"a scan reads the wanted files", scanReadsWanted},
	{"a scan leaves out what is known", scanLeavesOutKnown},
	{"marks change with the content", marksChange},
	{"outside changes are reported", outsideIsReported},
	{"own changes are not reported", ownIsNotReported},
	{"racing writers lose nothing", racingWriters},
	{"absent settings are not found", absentConfig},
	{"an unknown branch is not found", unknownBranch},
	{"both sides of a conflict can be read", bothSidesAreRead},
	{"a file in conflict cannot be changed", conflictIsNotChanged},
	{"files in conflict are listed", conflictsAreListed},
	{"a conflict is resolved by a write", conflictIsResolved},
	{"a conflict that has changed is not resolved", changedConflictIsNotResolved},
}

const plenty = 1 << 20

func write(t *testing.T, s store.Store, path vpath.Path, text string) store.Result {
	t.Helper()
	base := store.Absent
	if file, err := s.Read(t.Context(), path, plenty); err == nil {
		base = file.Rev
	}
	results, err := s.Commit(t.Context(), []store.Change{{Path: path, Base: base, Data: []byte(text)}})
	if err != nil {
		t.Fatalf("write %s: %v", path, err)
	}
	return results[0]
}

func wantText(t *testing.T, s store.Store, path vpath.Path, text string) store.File {
	t.Helper()
	file, err := s.Read(t.Context(), path, plenty)
	if err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
	if string(file.Data) != text {
		t.Errorf("%s holds %q, want %q", path, file.Data, text)
	}
	return file
}

func wantKind(t *testing.T, err error, kind fault.Kind) {
	t.Helper()
	if !errors.Is(err, kind) || fault.KindOf(err) != kind {
		t.Errorf("got %v (%v), want %v", err, fault.KindOf(err), kind)
	}
}

func wantAbsent(t *testing.T, s store.Store, path vpath.Path) {
	t.Helper()
	_, err := s.Read(t.Context(), path, plenty)
	wantKind(t, err, fault.NotFound)
}

func writtenIsRead(t *testing.T, s Subject) {
	for _, path := range []vpath.Path{"A.md", "deep/er/B.md", "字/ü.md", vpath.Path(strings.Repeat("b", 252) + ".md")} {
		result := write(t, s, path, "one\r\n\x00"+string(path))
		file := wantText(t, s, path, "one\r\n\x00"+string(path))
		if file.Rev != result.Rev || file.Path != path || result.Path != path {
			t.Errorf("the result has another revision or path than the file: %+v, %+v", result, file.Info)
		}
		info, err := s.Stat(t.Context(), path)
		if err != nil || info.Mark != result.Mark || info.Size != file.Size || info.Modified.IsZero() {
			t.Errorf("stat of %s: %+v, %v; the commit returned %+v", path, info, err, result.Info)
		}
	}
	write(t, s, "A.md", "two")
	wantText(t, s, "A.md", "two")
}

func givenTime(t *testing.T, s Subject) {
	then := time.Date(2020, 5, 17, 10, 30, 0, 0, time.UTC)
	results, err := s.Commit(t.Context(), []store.Change{{Path: "Old.md", Data: []byte("x"), Modified: then}, {Path: "New.md", Data: []byte("x")}})
	if err != nil {
		t.Fatal(err)
	}
	old, err := s.Stat(t.Context(), "Old.md")
	if err != nil || !old.Modified.Equal(then) || old.Mark != results[0].Mark {
		t.Errorf("%+v, %v", old, err)
	}
	if now, err := s.Stat(t.Context(), "New.md"); err != nil || time.Since(now.Modified) > time.Hour {
		t.Errorf("%+v, %v", now, err)
	}
}

func severalAtOnce(t *testing.T, s Subject) {
	paths := []vpath.Path{"A.md", "no.md", "d/B.md", "d", "E.md", "A.md", "large.md"}
	want := []string{"a", "", "b", "", "", "a", ""}
	kinds := []fault.Kind{0, fault.NotFound, 0, fault.PermissionDenied, 0, 0, fault.InvalidArgument}
	for i, path := range paths {
		if kinds[i] == 0 {
			write(t, s, path, want[i])
		}
	}
	write(t, s, "large.md", strings.Repeat("x", 200))
	all := s.ReadMany(t.Context(), paths, 100)
	if len(all) != len(paths) {
		t.Fatalf("%d outcomes for %d files", len(all), len(paths))
	}
	for i, outcome := range all {
		if kinds[i] != 0 {
			wantKind(t, outcome.Err, kinds[i])
			continue
		}
		alone := wantText(t, s, paths[i], want[i])
		if outcome.Err != nil || string(outcome.Data) != want[i] || outcome.Rev != alone.Rev || outcome.Path != paths[i] {
			t.Errorf("%s: %+v, read alone %+v", paths[i], outcome, alone)
		}
	}
	if all := s.ReadMany(t.Context(), nil, 100); len(all) != 0 {
		t.Errorf("%d outcomes for no files", len(all))
	}
}

func absentIsNotFound(t *testing.T, s Subject) {
	wantAbsent(t, s, "no.md")
	wantAbsent(t, s, "no/no.md")
	_, err := s.Stat(t.Context(), "no.md")
	wantKind(t, err, fault.NotFound)
}

func folderIsNotFile(t *testing.T, s Subject) {
	write(t, s, "F.md/inner.md", "x")
	_, err := s.Read(t.Context(), "F.md", plenty)
	wantKind(t, err, fault.PermissionDenied)
	_, err = s.Commit(t.Context(), []store.Change{{Path: "F.md", Data: []byte("y")}})
	wantKind(t, err, fault.PermissionDenied)
	_, err = s.Commit(t.Context(), []store.Change{{Path: "F.md/inner.md/x.md", Data: []byte("y")}})
	wantKind(t, err, fault.PermissionDenied)
	wantText(t, s, "F.md/inner.md", "x")
}

func emptyFile(t *testing.T, s Subject) {
	write(t, s, "E.md", "")
	file := wantText(t, s, "E.md", "")
	if file.Rev == store.Absent {
		t.Error("an empty file has no revision")
	}
	write(t, s, "E.md", "x")
	write(t, s, "E.md", "")
	wantText(t, s, "E.md", "")
}

func overLimit(t *testing.T, s Subject) {
	write(t, s, "A.md", "12345")
	_, err := s.Read(t.Context(), "A.md", 4)
	wantKind(t, err, fault.InvalidArgument)
	if _, err := s.Read(t.Context(), "A.md", 5); err != nil {
		t.Error(err)
	}
}

// scan collects everything that a scan visits.
func scan(t *testing.T, s store.Store, want func(store.Info) bool) map[vpath.Path]store.Found {
	t.Helper()
	var mu sync.Mutex
	all := map[vpath.Path]store.Found{}
	err := s.Scan(t.Context(), want, func(found store.Found) {
		mu.Lock()
		defer mu.Unlock()
		if _, twice := all[found.Path]; twice {
			t.Errorf("%s was visited twice", found.Path)
		}
		found.Data = slices.Clone(found.Data)
		all[found.Path] = found
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func nothing(store.Info) bool { return false }

func absentConfig(t *testing.T, s Subject) {
	_, err := s.Config(t.Context(), "app.json")
	wantKind(t, err, fault.NotFound)
}
