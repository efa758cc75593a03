// Package storetest is the contract of package store as tests, for every
// store to pass.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vpath"
)

// Subject is a store under test, and how another program would change it.
type Subject struct {
	store.Store
	Outside func(path vpath.Path, data []byte) // nil data removes the file
}

// Run runs the suite. Each test gets a new, empty store.
func Run(t *testing.T, open func(t *testing.T) Subject) {
	for _, one := range suite {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			subject := open(t)
			t.Cleanup(func() { subject.Close() })
			one.check(t, subject)
		})
	}
}

var suite = []struct {
	name  string
	check func(*testing.T, Subject)
}{
	{"what is written is read", writtenIsRead},
	{"an absent file is not found", absentIsNotFound},
	{"a folder is no file", folderIsNoFile},
	{"an empty file is a file", emptyFile},
	{"creating does not replace", createDoesNotReplace},
	{"a stale revision is a conflict", staleIsConflict},
	{"a vanished file is a conflict", vanishedIsConflict},
	{"moving keeps the content", moveKeepsContent},
	{"moving can change the content", moveChangesContent},
	{"moving does not replace", moveDoesNotReplace},
	{"a name can change its case", respell},
	{"the trash keeps everything", trashKeepsEverything},
	{"a commit is made whole or not at all", commitIsWhole},
	{"the trash tells its names", trashTellsNames},
	{"a failed commit leaves nothing", failedLeavesNothing},
	{"a file over the limit is refused", overLimit},
	{"a scan visits everything once", scanVisitsAll},
	{"a scan reads what is wanted", scanReadsWanted},
	{"marks change with the content", marksChange},
	{"outside changes are reported", outsideIsReported},
	{"own changes are not reported", ownIsNotReported},
	{"racing writers lose nothing", racingWriters},
	{"absent settings are not found", absentConfig},
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
			t.Errorf("revision and path of the result are not those of the file: %+v, %+v", result, file.Info)
		}
		info, err := s.Stat(t.Context(), path)
		if err != nil || info.Mark != result.Mark || info.Size != file.Size || info.Modified.IsZero() {
			t.Errorf("stat of %s: %+v, %v; the commit said %+v", path, info, err, result.Info)
		}
	}
	write(t, s, "A.md", "two")
	wantText(t, s, "A.md", "two")
}

func absentIsNotFound(t *testing.T, s Subject) {
	wantAbsent(t, s, "no.md")
	wantAbsent(t, s, "no/no.md")
	_, err := s.Stat(t.Context(), "no.md")
	wantKind(t, err, fault.NotFound)
}

func folderIsNoFile(t *testing.T, s Subject) {
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

func trashKeepsEverything(t *testing.T, s Subject) {
	places := map[string]bool{}
	for _, text := range []string{"one", "two", "three"} {
		old := write(t, s, "d/A.md", text)
		results, err := s.Commit(t.Context(), []store.Change{{Op: store.Trash, Path: "d/A.md", Base: old.Rev}})
		if err != nil {
			t.Fatal(err)
		}
		wantAbsent(t, s, "d/A.md")
		places[results[0].TrashPath] = true
	}
	for _, place := range []string{".trash/d/A.md", ".trash/d/A 2.md", ".trash/d/A 3.md"} {
		if !places[place] {
			t.Errorf("nothing was put to %s, but to %v", place, places)
		}
	}
}

func trashTellsNames(t *testing.T, s Subject) {
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
			t.Errorf("went to %q, was told %q", got, want)
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

func commitIsWhole(t *testing.T, s Subject) {
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

func overLimit(t *testing.T, s Subject) {
	write(t, s, "A.md", "12345")
	_, err := s.Read(t.Context(), "A.md", 4)
	wantKind(t, err, fault.InvalidArgument)
	if _, err := s.Read(t.Context(), "A.md", 5); err != nil {
		t.Error(err)
	}
}

// scan collects what a scan visits.
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

func scanVisitsAll(t *testing.T, s Subject) {
	want := map[vpath.Path]bool{"x": true, "x/y": true}
	for i := range 200 {
		path := vpath.Path(fmt.Sprintf("x/y/%d.md", i))
		write(t, s, path, "text")
		want[path] = true
	}
	gone := write(t, s, "z.md", "text")
	if _, err := s.Commit(t.Context(), []store.Change{{Op: store.Trash, Path: "z.md", Base: gone.Rev}}); err != nil {
		t.Fatal(err)
	}
	got := map[vpath.Path]bool{}
	for path, found := range scan(t, s, nothing) {
		got[path] = true
		if found.Data != nil || found.Err != nil {
			t.Errorf("%s: data %v, error %v", path, found.Data, found.Err)
		}
		if found.Folder != (path == "x" || path == "x/y") {
			t.Errorf("%s: folder is %v", path, found.Folder)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func scanReadsWanted(t *testing.T, s Subject) {
	write(t, s, "A.md", "a")
	write(t, s, "B.md", "b")
	write(t, s, "E.md", "")
	all := scan(t, s, func(info store.Info) bool { return info.Path != "B.md" })
	if string(all["A.md"].Data) != "a" || all["B.md"].Data != nil {
		t.Errorf("%+v", all)
	}
	info, err := s.Stat(t.Context(), "A.md")
	if err != nil || all["A.md"].Mark != info.Mark {
		t.Errorf("a scan's mark %q is not that of stat %q", all["A.md"].Mark, info.Mark)
	}
}

func marksChange(t *testing.T, s Subject) {
	write(t, s, "A.md", "one")
	before, err := s.Stat(t.Context(), "A.md")
	if err != nil {
		t.Fatal(err)
	}
	write(t, s, "A.md", "two")
	after, err := s.Stat(t.Context(), "A.md")
	if err != nil {
		t.Fatal(err)
	}
	if before.Mark == after.Mark {
		t.Error("another text of the same length has the same mark")
	}
}

// waitFor reads events until one tells of the path.
func waitFor(t *testing.T, events <-chan store.Event, path vpath.Path) {
	t.Helper()
	deadline := time.After(5 * time.Second)
	for {
		select {
		case event, ok := <-events:
			if !ok {
				t.Fatal("the feed ended")
			}
			if event.All || slices.Contains(event.Paths, path) {
				return
			}
		case <-deadline:
			t.Fatalf("nothing was reported for %s", path)
		}
	}
}

// watch begins to watch, and waits until the feed is known to work.
func watch(t *testing.T, s Subject) <-chan store.Event {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	events := s.Watch(ctx)
	if first := <-events; !first.All {
		t.Errorf("the first event is %+v", first)
	}
	t.Cleanup(func() {
		cancel()
		for range events {
		}
	})
	for i := range 50 {
		path := vpath.Path(fmt.Sprintf("ready %d.md", i))
		s.Outside(path, []byte("x"))
		deadline := time.After(300 * time.Millisecond)
		for waiting := true; waiting; {
			select {
			case event := <-events:
				if slices.Contains(event.Paths, path) {
					return events
				}
			case <-deadline:
				waiting = false
			}
		}
	}
	t.Fatal("the feed reports nothing")
	return nil
}

func outsideIsReported(t *testing.T, s Subject) {
	write(t, s, "d/A.md", "a")
	events := watch(t, s)
	s.Outside("d/A.md", []byte("b"))
	waitFor(t, events, "d/A.md")
	s.Outside("new/folder/B.md", []byte("b"))
	waitFor(t, events, "new/folder/B.md")
	s.Outside("new/folder/B.md", []byte("c"))
	waitFor(t, events, "new/folder/B.md")
	s.Outside("d/A.md", nil)
	waitFor(t, events, "d/A.md")
}

func ownIsNotReported(t *testing.T, s Subject) {
	events := watch(t, s)
	write(t, s, "A.md", "a")
	write(t, s, "A.md", "b")
	old := write(t, s, "d/B.md", "b")
	if _, err := s.Commit(t.Context(), []store.Change{{Op: store.Move, Path: "d/B.md", To: "d/C.md", Base: old.Rev}}); err != nil {
		t.Fatal(err)
	}
	s.Outside("last.md", []byte("x"))
	for {
		event := <-events
		for _, path := range event.Paths {
			if path == "A.md" || path == "d/B.md" || path == "d/C.md" {
				t.Errorf("our own change of %s was reported", path)
			}
		}
		if slices.Contains(event.Paths, "last.md") {
			return
		}
	}
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

func absentConfig(t *testing.T, s Subject) {
	_, err := s.Config(t.Context(), "app.json")
	wantKind(t, err, fault.NotFound)
}
