package storetest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
)

func scanVisitsAll(t *testing.T, s Subject) {
	want := map[vpath.Path]bool{"x": true, "x/y": true}
	var changes []store.Change
	for i := range 200 {
		path := vpath.Path(fmt.Sprintf("x/y/%d.md", i))
		changes = append(changes, store.Change{Path: path, Data: []byte("text")})
		want[path] = true
	}
	if _, err := s.Commit(t.Context(), changes); err != nil {
		t.Fatal(err)
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

func scanLeavesOutKnown(t *testing.T, s Subject) {
	write(t, s, "x/A.md", "a")
	write(t, s, "x/B.md", "b")
	write(t, s, "C.md", "c")
	marks := map[string]string{}
	for path, found := range scan(t, s, nothing) {
		marks[string(path)] = found.Mark
	}
	write(t, s, "x/B.md", "changed")
	write(t, s, "D.md", "d")
	known := func() func(path, mark []byte) bool {
		return func(path, mark []byte) bool { return string(path) != "C.md" && marks[string(path)] == string(mark) }
	}
	var mu sync.Mutex // guards got
	got := map[vpath.Path]string{}
	everything := func(store.Info) bool { return true }
	err := store.ScanUnknown(t.Context(), s.Store, known, everything, func(found store.Found) {
		mu.Lock()
		defer mu.Unlock()
		got[found.Path] = string(found.Data)
	})
	want := map[vpath.Path]string{"x": "", "x/B.md": "changed", "C.md": "c", "D.md": "d"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
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
