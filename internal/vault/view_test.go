package vault_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/note/edit"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/vault"
)

func limited(t testing.TB, v *vault.Vault, deny ...string) *vault.View {
	t.Helper()
	open, err := scope.New(nil, deny)
	if err != nil {
		t.Fatal(err)
	}
	return v.View(open)
}

func TestWholeViewHidesNothing(t *testing.T) {
	t.Parallel()
	v := open(t, mem.New(map[string]string{"a.md": "a", "private/b.md": "b"}))
	if _, err := v.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, view := range []*vault.View{v.Whole(), v.View(scope.Scope{})} {
		before := v.Ready()
		s, err := view.Snapshot(t.Context())
		ready := view.Ready()
		after := v.Ready() // the vault reads new files again, which may change the snapshot
		if err != nil || s != before && s != after || ready != before && ready != after || view.Key() != "" {
			t.Errorf("another snapshot, or %v", err)
		}
		if file, err := view.Read(t.Context(), "private/b.md", 10); err != nil || string(file.Data) != "b" {
			t.Errorf("%q, %v", file.Data, err)
		}
	}
}

// TestClosedLooksAbsent: every question about a closed file has the same answer as for
// one that does not exist, except for its name.
func TestClosedLooksAbsent(t *testing.T) {
	t.Parallel()
	s := mem.New(map[string]string{"a.md": "a", "private/b.md": "b"})
	side := s.Diverge("private/b.md", []byte("c"))
	v := open(t, s)
	view := limited(t, v, "private/")
	about := func(path vpath.Path) string {
		_, read := view.Read(t.Context(), path, 10)
		_, branch := view.Branch(t.Context(), path, side, 10)
		found, ok := view.Lookup(t.Context(), path)
		exists, existsErr := view.Exists(t.Context(), path)
		_, trash := view.TrashPath(t.Context(), path)
		_, edited := view.Edit(t.Context(), path, "", func(*md.Note) ([]md.Splice, error) {
			t.Errorf("%s is edited", path)
			return nil, nil
		})
		if conflicts := view.Conflicts(t.Context(), path); conflicts != nil {
			t.Errorf("%s has the conflicts %q", path, conflicts)
		}
		kinds := fmt.Sprint(fault.KindOf(read), fault.KindOf(branch), fault.KindOf(trash), fault.KindOf(edited))
		answers := fmt.Sprintf("%s|%v|%v|%v|%v|%v|%v|%v|%v", kinds, read, branch, found, ok, exists, existsErr, trash, edited)
		return strings.ReplaceAll(answers, string(path), "PATH")
	}
	want := about("none.md")
	for _, path := range []vpath.Path{"private/b.md", "Private/B.md", "private/none.md", "private"} {
		if got := about(path); got != want {
			t.Errorf("%s:\n%s\na file that does not exist:\n%s", path, got, want)
		}
	}
	if exists, err := view.Exists(t.Context(), "a.md"); !exists || err != nil {
		t.Errorf("the open file exists: %v, %v", exists, err)
	}
	seen, err := view.Snapshot(t.Context())
	if err != nil || seen.Len() != 1 || seen.Has("private/b.md") || view.Ready() != seen {
		t.Errorf("%d files, %v", seen.Len(), err)
	}
}

// TestOtherSpellingsReachNothing: the file system may find a closed file under a
// spelling that no rule covers.
func TestOtherSpellingsReachNothing(t *testing.T) {
	t.Parallel()
	s := &lenientStore{Store: mem.New(map[string]string{"a.md": "a", "private/b.md": "secret"})}
	v := open(t, s)
	view := limited(t, v, "private/")
	for _, alias := range []vpath.Path{"privat~1/b.md", "private./b.md", "private /b.md"} {
		if _, err := s.Read(t.Context(), alias, 10); err != nil {
			t.Fatal(err)
		}
		if _, err := view.Read(t.Context(), alias, 10); !errors.Is(err, fault.NotFound) {
			t.Errorf("%q is read: %v", alias, err)
		}
		if _, ok := view.Lookup(t.Context(), alias); ok {
			t.Errorf("%q is found", alias)
		}
		if exists, _ := view.Exists(t.Context(), alias); exists {
			t.Errorf("%q exists", alias)
		}
	}
	if view.MayWrite("privat~1/new.md") || !view.MayWrite("a~b/c.md") || !v.Whole().MayWrite("privat~1/new.md") {
		t.Error("wrong rights for short names of Windows")
	}
}

// lenientStore finds files under other spellings, as Windows does.
type lenientStore struct{ *mem.Store }

func (s *lenientStore) real(path vpath.Path) vpath.Path {
	spellings := strings.NewReplacer("privat~1/", "private/", "private./", "private/", "private /", "private/")
	return vpath.Path(spellings.Replace(string(path)))
}

func (s *lenientStore) Stat(ctx context.Context, path vpath.Path) (store.Info, error) {
	return s.Store.Stat(ctx, s.real(path))
}

func (s *lenientStore) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	return s.Store.Read(ctx, s.real(path), limit)
}

func TestLimitedViewCannotWriteClosedFiles(t *testing.T) {
	t.Parallel()
	s := mem.New(map[string]string{"a.md": "a", "private/b.md": "b"})
	v := open(t, s)
	view := limited(t, v, "private/")
	file, err := v.Read(t.Context(), "private/b.md", 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, changes := range [][]store.Change{
		{{Path: "private/b.md", Base: file.Rev, Data: []byte("x")}},
		{{Path: "private/b.md", Data: []byte("x")}},
		{{Path: "private/new.md", Data: []byte("x")}},
		{{Op: store.Trash, Path: "private/b.md", Base: file.Rev}},
		{{Op: store.Move, Path: "private/b.md", To: "b.md", Base: file.Rev}},
		{{Path: "c.md", Data: []byte("x")}, {Op: store.Move, Path: "a.md", To: "private/b.md", Base: "?"}},
		{{Op: store.WriteConfig, Config: "app.json", Data: []byte("{}")}},
	} {
		_, err := view.Commit(t.Context(), changes)
		if fault.KindOf(err) != fault.PermissionDenied || strings.Contains(err.Error(), "private") {
			t.Errorf("%+v: %v", changes, err)
		}
	}
	if _, err := view.Commit(t.Context(), []store.Change{{Path: "c.md", Data: []byte("x")}}); err != nil {
		t.Error(err)
	}
	if got := s.Files(); len(got) != 3 || got["private/b.md"] != "b" {
		t.Errorf("%q", got)
	}
}

func TestClosedChangesAreNotReported(t *testing.T) { inBubble(t, testClosedChangesAreNotReported) }

func testClosedChangesAreNotReported(t *testing.T) {
	s := mem.New(map[string]string{"a.md": "a", "private/b.md": "b"})
	v := open(t, s)
	changes := limited(t, v, "private/").Changes(t.Context())
	whole := v.Whole().Changes(t.Context())
	commit(t, v, store.Change{Path: "private/c.md", Data: []byte("c")})
	s.Outside("private/b.md", nil)
	expectChange(t, "closed files, to the owner", whole, true, "private/b.md", "private/c.md")
	expectSilence(t, "closed files", changes)
	a, _ := v.Read(t.Context(), "a.md", 10)
	commit(t, v,
		store.Change{Path: "private/d.md", Data: []byte("d")},
		store.Change{Path: "a.md", Base: a.Rev, Data: []byte("a2")})
	expectChange(t, "an edit, with a new closed file", changes, false, "a.md")
	commit(t, v, store.Change{Path: "e.md", Data: []byte("e")})
	expectChange(t, "a new open file", changes, true, "e.md")
}

// waiting is a store whose first scan waits until it is released.
type waiting struct {
	*mem.Store
	scans   atomic.Int32
	release chan struct{}
}

func (s *waiting) Scan(ctx context.Context, want func(store.Info) bool, visit func(store.Found)) error {
	if s.scans.Add(1) == 1 {
		for i := range 500 {
			visit(store.Found{Info: store.Info{Path: vpath.Path(fmt.Sprint("private/", i, ".png"))}})
		}
		select {
		case <-s.release:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.Store.Scan(ctx, want, visit)
}

// TestLimitedViewBeforeIndexIsBuilt: files are read directly, except closed ones, and
// progress is not reported.
func TestLimitedViewBeforeIndexIsBuilt(t *testing.T) { inBubble(t, testLimitedViewBeforeIndexIsBuilt) }

func testLimitedViewBeforeIndexIsBuilt(t *testing.T) {
	s := &waiting{Store: mem.New(map[string]string{"a.md": "a", "private/b.md": "b"}), release: make(chan struct{})}
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	synctest.Wait() // until the first scan waits
	view := limited(t, v, "private/")
	if view.Ready() != nil {
		t.Error("the index is ready")
	}
	var mu sync.Mutex
	var seen []vpath.Path
	err := view.Files(t.Context(), func(path vpath.Path) bool {
		if path.In("private") {
			t.Errorf("the caller is asked about %s", path)
		}
		return true
	}, func(path vpath.Path, _ []byte) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, path)
	})
	if err != nil || !slices.Equal(seen, []vpath.Path{"a.md"}) {
		t.Errorf("%q, %v", seen, err)
	}
	reported := make(chan int64, 100)
	waitingFor := vault.WithProgress(t.Context(), func(files int64) {
		select {
		case reported <- files:
		default:
		}
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := view.Snapshot(waitingFor); err != nil {
			t.Error(err)
		}
	}()
	if _, err := v.Whole().Snapshot(func() context.Context {
		ctx, stop := context.WithCancel(t.Context())
		return vault.WithProgress(ctx, func(int64) { stop() }) // progress is reported to the owner
	}()); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(s.release)
	<-done
	if len(reported) > 0 {
		t.Errorf("progress was reported: %d files", <-reported)
	}
}

// TestLimitedErrorsHaveNoDetails: a limited view passes on only the kind of the store's
// errors.
func TestLimitedErrorsHaveNoDetails(t *testing.T) { inBubble(t, testLimitedErrorsHaveNoDetails) }

func testLimitedErrorsHaveNoDetails(t *testing.T) {
	s := &shaky{Store: mem.New(map[string]string{"a.md": "a"})}
	s.fail(fault.PermissionDenied.Errorf("private/b.md cannot be listed"), nil, false)
	v := vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{})
	t.Cleanup(func() { v.Close() })
	view := limited(t, v, "private/")
	_, err := view.Snapshot(t.Context())
	if fault.KindOf(err) != fault.PermissionDenied || strings.Contains(err.Error(), "private") {
		t.Errorf("%v", err)
	}
	err = view.Files(t.Context(), func(vpath.Path) bool { return true }, func(vpath.Path, []byte) {})
	if fault.KindOf(err) != fault.PermissionDenied || strings.Contains(err.Error(), "private") {
		t.Errorf("%v", err)
	}
}

// TestEqualViewsShareSnapshots: callers with equal rights share one filtered snapshot,
// which follows every change.
func TestEqualViewsShareSnapshots(t *testing.T) {
	t.Parallel()
	v := open(t, mem.New(map[string]string{"a.md": "a", "private/b.md": "b"}))
	view, equal := limited(t, v, "private/"), limited(t, v, "Private/", "/private/")
	for whole := v.Ready(); ; whole = v.Ready() {
		first, second, other := view.Ready(), equal.Ready(), limited(t, v, "a.md").Ready()
		if v.Ready() != whole {
			continue // the vault has refreshed its files meanwhile
		}
		if first != second || view.Key() != equal.Key() || other == first {
			t.Error("equal scopes do not share a snapshot, or different ones do")
		}
		break
	}
	before := view.Ready()
	commit(t, v, store.Change{Path: "c.md", Data: []byte("c")}, store.Change{Path: "private/c.md", Data: []byte("c")})
	if after := view.Ready(); after == before || after.Len() != 2 || before.Len() != 1 {
		t.Errorf("%d files, before %d", after.Len(), before.Len())
	}
	if got := view.Settings(t.Context()).Links.Format; got != edit.Absolute {
		t.Errorf("links are written in format %d", got)
	}
}
