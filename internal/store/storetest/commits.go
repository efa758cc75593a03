package storetest

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

func createDoesNotReplace(t *testing.T, s Subject) {
	write(t, s, "A.md", "old")
	_, err := s.Commit(t.Context(), []store.Change{{Path: "A.md", Data: []byte("new")}})
	wantKind(t, err, fault.AlreadyExists)
	wantText(t, s, "A.md", "old")
}

func staleIsConflict(t *testing.T, s Subject) {
	first := write(t, s, "A.md", "one")
	s.Outside("A.md", []byte("theirs"))
	for _, op := range []store.Op{store.Write, store.Move, store.Trash} {
		_, err := s.Commit(t.Context(), []store.Change{{Op: op, Path: "A.md", To: "B.md", Base: first.Rev, Data: []byte("ours")}})
		wantKind(t, err, fault.Conflict)
	}
	wantText(t, s, "A.md", "theirs")
	wantAbsent(t, s, "B.md")
}

func vanishedIsConflict(t *testing.T, s Subject) {
	first := write(t, s, "d/A.md", "one")
	s.Outside("d/A.md", nil)
	_, err := s.Commit(t.Context(), []store.Change{{Path: "d/A.md", Base: first.Rev, Data: []byte("ours")}})
	wantKind(t, err, fault.Conflict)
	wantAbsent(t, s, "d/A.md")
}

func moveKeepsContent(t *testing.T, s Subject) {
	old := write(t, s, "A.md", "text")
	results, err := s.Commit(t.Context(), []store.Change{{Op: store.Move, Path: "A.md", To: "x/y/B.md", Base: old.Rev}})
	if err != nil {
		t.Fatal(err)
	}
	wantAbsent(t, s, "A.md")
	file := wantText(t, s, "x/y/B.md", "text")
	if results[0].Rev != file.Rev || results[0].Path != "x/y/B.md" || results[0].Mark != file.Mark {
		t.Errorf("result %+v, file %+v", results[0], file.Info)
	}
}

func moveChangesContent(t *testing.T, s Subject) {
	old := write(t, s, "A.md", "text")
	other := write(t, s, "C.md", "see A")
	_, err := s.Commit(t.Context(), []store.Change{
		{Path: "C.md", Base: other.Rev, Data: []byte("see B")},
		{Op: store.Move, Path: "A.md", To: "x/B.md", Base: old.Rev, Data: []byte("changed")},
	})
	if err != nil {
		t.Fatal(err)
	}
	wantAbsent(t, s, "A.md")
	wantText(t, s, "x/B.md", "changed")
	wantText(t, s, "C.md", "see B")
}

func moveDoesNotReplace(t *testing.T, s Subject) {
	old := write(t, s, "A.md", "a")
	write(t, s, "B.md", "b")
	_, err := s.Commit(t.Context(), []store.Change{{Op: store.Move, Path: "A.md", To: "B.md", Base: old.Rev}})
	wantKind(t, err, fault.AlreadyExists)
	wantText(t, s, "A.md", "a")
	wantText(t, s, "B.md", "b")
}

func respell(t *testing.T, s Subject) {
	old := write(t, s, "note.md", "a")
	if _, err := s.Commit(t.Context(), []store.Change{{Op: store.Move, Path: "note.md", To: "Note.md", Base: old.Rev}}); err != nil {
		t.Fatal(err)
	}
	old = store.Result{Rev: wantText(t, s, "Note.md", "a").Rev}
	if _, err := s.Commit(t.Context(), []store.Change{{Op: store.Move, Path: "Note.md", To: "NOTE.md", Base: old.Rev, Data: []byte("b")}}); err != nil {
		t.Fatal(err)
	}
	wantText(t, s, "NOTE.md", "b")
}

func removesFolders(t *testing.T, s Subject) {
	one, two := write(t, s, "d/e/A.md", "a"), write(t, s, "d/B.md", "b")
	results, err := s.Commit(t.Context(), []store.Change{
		{Op: store.Move, Path: "d/e/A.md", To: "x/A.md", Base: one.Rev},
		{Op: store.RemoveFolder, Path: "d/e"},
		{Op: store.RemoveFolder, Path: "d"},
	})
	if err != nil || len(results) != 3 || results[1].Path != "d/e" {
		t.Fatalf("%+v, %v", results, err)
	}
	wantText(t, s, "d/B.md", "b")
	wantFolders(t, s, "d", "x")
	if _, err := s.Commit(t.Context(), []store.Change{
		{Op: store.Trash, Path: "d/B.md", Base: two.Rev}, {Op: store.RemoveFolder, Path: "d"}, {Op: store.RemoveFolder, Path: "never"},
	}); err != nil {
		t.Fatal(err)
	}
	wantFolders(t, s, "x")
}

// wantFolders checks which folders a scan visits.
func wantFolders(t *testing.T, s Subject, want ...vpath.Path) {
	t.Helper()
	var mu sync.Mutex
	var folders []vpath.Path
	err := s.Scan(t.Context(), func(store.Info) bool { return false }, func(found store.Found) {
		mu.Lock()
		defer mu.Unlock()
		if found.Folder {
			folders = append(folders, found.Path)
		}
	})
	slices.Sort(folders)
	if err != nil || !slices.Equal(folders, want) {
		t.Errorf("the folders are %q, want %q: %v", folders, want, err)
	}
}

func respellFolder(t *testing.T, s Subject) {
	one, two := write(t, s, "d/e/A.md", "a"), write(t, s, "d/B.md", "b")
	_, err := s.Commit(t.Context(), []store.Change{
		{Op: store.Move, Path: "d/B.md", To: "D/B.md", Base: two.Rev},
		{Op: store.Move, Path: "d/e/A.md", To: "D/e/A.md", Base: one.Rev, Data: []byte("new")},
		{Op: store.RemoveFolder, Path: "d/e"},
		{Op: store.RemoveFolder, Path: "d"},
	})
	if errors.Is(err, fault.InvalidArgument) { // other devices would not accept it
		wantText(t, s, "d/B.md", "b")
		wantText(t, s, "d/e/A.md", "a")
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, s, "D/B.md", "b")
	wantText(t, s, "D/e/A.md", "new")
	wantFolders(t, s, "D", "D/e")
}

func trashKeepsEverything(t *testing.T, s Subject) {
	trashed := map[string]bool{}
	for _, text := range []string{"one", "two", "three"} {
		old := write(t, s, "d/A.md", text)
		results, err := s.Commit(t.Context(), []store.Change{{Op: store.Trash, Path: "d/A.md", Base: old.Rev}})
		if err != nil {
			t.Fatal(err)
		}
		wantAbsent(t, s, "d/A.md")
		trashed[results[0].TrashPath] = true
	}
	for _, path := range []string{".trash/d/A.md", ".trash/d/A 2.md", ".trash/d/A 3.md"} {
		if !trashed[path] {
			t.Errorf("no file is at %s, but at %v", path, trashed)
		}
	}
}

func trashPathIsKnown(t *testing.T, s Subject) {
	long := vpath.Path("d/" + strings.Repeat("字", 84) + ".md")
	for range 3 {
		old := write(t, s, long, "x")
		want, err := s.TrashPath(t.Context(), long)
		if err != nil {
			t.Fatal(err)
		}
		results, err := s.Commit(t.Context(), []store.Change{{Op: store.Trash, Path: long, Base: old.Rev}})
		if err != nil {
			t.Fatal(err)
		}
		if got := results[0].TrashPath; got != want || !utf8.ValidString(got) {
			t.Errorf("went to %q, TrashPath said %q", got, want)
		}
	}
}

func failedLeavesNothing(t *testing.T, s Subject) {
	old := write(t, s, "A.md", "a")
	write(t, s, "B.md", "b")
	for _, change := range []store.Change{
		{Path: "x/y/N.md", Data: []byte("n")},
		{Op: store.Move, Path: "A.md", To: "z/A.md", Base: old.Rev},
	} {
		_, err := s.Commit(t.Context(), []store.Change{change, {Path: "B.md", Data: []byte("never")}})
		wantKind(t, err, fault.AlreadyExists)
	}
	for path := range scan(t, s, nothing) {
		if path != "A.md" && path != "B.md" {
			t.Errorf("%s was left behind", path)
		}
	}
}

func commitIsAtomic(t *testing.T, s Subject) {
	a, b := write(t, s, "A.md", "a"), write(t, s, "B.md", "b")
	for name, last := range map[string]store.Change{
		"conflict": {Path: "B.md", Base: a.Rev, Data: []byte("new")},
		"exists":   {Path: "B.md", Data: []byte("new")},
		"move":     {Op: store.Move, Path: "B.md", To: "A.md", Base: b.Rev},
	} {
		_, err := s.Commit(t.Context(), []store.Change{
			{Path: "A.md", Base: a.Rev, Data: []byte("changed")},
			{Path: "N.md", Data: []byte("created")},
			last,
		})
		if err == nil {
			t.Fatalf("%s: no error", name)
		}
		wantText(t, s, "A.md", "a")
		wantText(t, s, "B.md", "b")
		wantAbsent(t, s, "N.md")
	}
	if _, err := s.Commit(t.Context(), []store.Change{
		{Path: "A.md", Base: a.Rev, Data: []byte("changed")},
		{Path: "N.md", Data: []byte("created")},
		{Op: store.Trash, Path: "B.md", Base: b.Rev},
	}); err != nil {
		t.Fatal(err)
	}
	wantText(t, s, "A.md", "changed")
	wantText(t, s, "N.md", "created")
	wantAbsent(t, s, "B.md")
}

func racingWriters(t *testing.T, s Subject) {
	write(t, s, "A.md", "")
	const writers, each = 8, 5
	var wait sync.WaitGroup
	for range writers {
		wait.Go(func() {
			for done := 0; done < each; {
				file, err := s.Read(t.Context(), "A.md", plenty)
				if err != nil {
					t.Error(err)
					return
				}
				_, err = s.Commit(t.Context(), []store.Change{{Path: "A.md", Base: file.Rev, Data: append(file.Data, 'x')}})
				if err == nil {
					done++
				} else if !errors.Is(err, fault.Conflict) {
					t.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	wantText(t, s, "A.md", strings.Repeat("x", writers*each))
}
