package folder

import (
	"context"
	"errors"
	"testing"

	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/system/disk"
)

// TestRecoverLater opens a vault with an unfinished commit that takes long: the store answers, but shows no half of it.
func TestRecoverLater(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	writeNote(t, dir, "A.md", "a")
	writeNote(t, dir, "B.md", "b")
	crashed := reopen(t, dir, state)
	u := crashed.newUnit()
	defer u.close()
	for _, change := range []store.Change{
		{Path: "A.md", Base: rev("a"), Data: []byte("new a")}, {Path: "B.md", Base: rev("b"), Data: []byte("new b")},
	} {
		if err := u.plan(change); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := u.record(); err != nil {
		t.Fatal(err)
	}

	slow := make(chan struct{})
	var on vaultDisk
	on.calls.Around = func(_ disk.Call, run func() error) error {
		<-slow
		return run()
	}
	f, err := open(dir, Options{State: state, RecoverLater: true}, on)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Stat(t.Context(), "A.md"); err != nil {
		t.Error(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Read(gone, "A.md", 100); !errors.Is(err, context.Canceled) {
		t.Error("a read does not wait:", err)
	}
	if _, err := f.Config(gone, "app.json"); !errors.Is(err, context.Canceled) {
		t.Error("reading settings does not wait:", err)
	}
	if _, err := f.Commit(gone, []store.Change{{Path: "C.md", Data: []byte("c")}}); !errors.Is(err, context.Canceled) {
		t.Error("a commit does not wait:", err)
	}
	close(slow)
	for i, read := range f.ReadMany(t.Context(), []vpath.Path{"A.md", "B.md"}, 100) {
		if want := []string{"new a", "new b"}[i]; read.Err != nil || string(read.Data) != want {
			t.Errorf("%q, %v, want %q", read.Data, read.Err, want)
		}
	}
}
