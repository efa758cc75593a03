package vault_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/vault"
)

// shaky is a store that fails on request.
type shaky struct {
	*mem.Store
	mu    sync.Mutex // guards the fields below
	scan  error
	read  error
	empty bool
}

func (s *shaky) fail(scan, read error, empty bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scan, s.read, s.empty = scan, read, empty
}

func (s *shaky) state() (scan, read error, empty bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scan, s.read, s.empty
}

func (s *shaky) Scan(ctx context.Context, want func(store.Info) bool, visit func(store.Found)) error {
	err, _, empty := s.state()
	if err != nil || empty {
		return err
	}
	return s.Store.Scan(ctx, want, visit)
}

func (s *shaky) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	if _, err, _ := s.state(); err != nil {
		return store.File{}, err
	}
	return s.Store.Read(ctx, path, limit)
}

func (s *shaky) Stat(ctx context.Context, path vpath.Path) (store.Info, error) {
	if _, err, _ := s.state(); err != nil {
		return store.Info{}, err
	}
	return s.Store.Stat(ctx, path)
}

var errDisk = fault.StoreUnavailable.Errorf("input/output error")

// TestErrorsAreNotDeletions: files that cannot be read stay in the index, and are
// read as soon as that is possible again.
func TestErrorsAreNotDeletions(t *testing.T) {
	inBubble(t, testErrorsAreNotDeletions)
}

func testErrorsAreNotDeletions(t *testing.T) {
	s := &shaky{Store: mem.New(map[string]string{"A.md": "#a", "B.md": "#b"})}
	v := open(t, s)
	for name, state := range map[string]struct {
		scan, read error
		empty      bool
	}{
		"the disk fails":          {errDisk, errDisk, false},
		"the folder seems empty":  {nil, errDisk, true},
		"a file cannot be opened": {nil, fault.PermissionDenied.Errorf("%w", os.ErrPermission), false},
	} {
		s.fail(state.scan, state.read, state.empty)
		s.Outside("A.md", []byte("#changed"))
		time.Sleep(time.Minute)
		now, err := v.Snapshot(t.Context())
		if err != nil || now.Len() != 2 {
			t.Errorf("%s: %d files in the index, %v", name, now.Len(), err)
		}
	}
	s.fail(nil, nil, false)
	eventually(t, v, "the change made meanwhile", func(s *index.Snapshot) bool { _, ok := s.Tag("changed"); return ok })
}

func TestUnreachableVaultIsTriedAgain(t *testing.T) { inBubble(t, testUnreachableVaultIsTriedAgain) }

func testUnreachableVaultIsTriedAgain(t *testing.T) {
	s := &shaky{Store: mem.New(map[string]string{"A.md": "#a"})}
	s.fail(errDisk, errDisk, false)
	v := open(t, s)
	if _, err := v.Snapshot(t.Context()); !errors.Is(err, fault.StoreUnavailable) {
		t.Errorf("got %v", err)
	}
	s.fail(nil, nil, false)
	eventually(t, v, "the vault", func(s *index.Snapshot) bool { return s.Len() == 1 })
}

// TestCommitIsIndexedAtOnce: when Commit returns, the index has the changes.
func TestCommitIsIndexedAtOnce(t *testing.T) {
	t.Parallel()
	s := mem.New(map[string]string{"A.md": "#a"})
	v := open(t, s)
	s.Outside("A.md", []byte("#outside")) // the index may not have it yet
	file, err := v.Read(t.Context(), "A.md", 100)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Commit(t.Context(), []store.Change{{Op: store.Move, Path: "A.md", To: "x/B.md", Base: file.Rev}, {Path: "N.md"}}); err != nil {
		t.Fatal(err)
	}
	now, err := v.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := now.Tag("outside"); !ok || now.Entry("A.md") != nil || now.Entry("x/B.md") == nil || now.Entry("N.md") == nil {
		t.Errorf("tags %v, %d files", now.Tags(), now.Len())
	}
	if _, ok := now.Folder("X"); !ok {
		t.Error("the new folder is not in the index")
	}
}

// TestConcurrentEditsAreAllIndexed: the index has all edits, whatever the order in
// which they finish.
func TestConcurrentEditsAreAllIndexed(t *testing.T) {
	t.Parallel()
	for range 20 {
		s := mem.New(map[string]string{"A.md": ""})
		v := open(t, s)
		var edits sync.WaitGroup
		for i := range 8 {
			edits.Go(func() {
				_, err := v.Edit(t.Context(), "A.md", "", func(note *md.Note) ([]md.Splice, error) {
					end := len(note.Source)
					return []md.Splice{{Span: md.Span{Start: end, End: end}, Text: fmt.Appendf(nil, "#t%d ", i)}}, nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		edits.Wait()
		now, err := v.Snapshot(t.Context())
		if err != nil || len(now.Tags()) != 8 {
			t.Errorf("%v, %v", now.Tags(), err)
		}
	}
}

// TestOutsideFolderChangesAreIndexed changes folders behind the vault's back.
func TestOutsideFolderChangesAreIndexed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	list := func(s *index.Snapshot) string {
		var names []string
		for _, file := range s.Names() {
			names = append(names, string(file.Path))
		}
		return strings.Join(names, " ")
	}
	write("P/sub/one.md", "1")
	v := openFolder(t, dir, slog.New(slog.DiscardHandler), vault.Options{})
	awaitWatch(t, v, dir)
	for _, step := range []struct {
		what string
		do   func()
		want string
	}{
		{"a renamed folder", func() { must(os.Rename(at("P"), at("Q"))) }, "Q/sub/one.md"},
		{"a new file below the renamed folder", func() { write("Q/sub/two.md", "2") }, "Q/sub/one.md Q/sub/two.md"},
		{"a folder replaced by another", func() {
			must(os.Rename(at("Q"), at("R")))
			must(os.Mkdir(at("Q"), 0o755))
		}, "R/sub/one.md R/sub/two.md"},
		{"a folder replaced by a file", func() {
			must(os.RemoveAll(at("R")))
			write("R", "x")
			write("S.md", "s")
		}, "S.md"},
		{"a file replaced by a folder", func() { must(os.Remove(at("S.md"))); write("S.md/in.md", "s") }, "S.md/in.md"},
		{"another case", func() { must(os.Rename(at("S.md"), at("s.md"))) }, "s.md/in.md"},
	} {
		step.do()
		eventually(t, v, step.what, func(s *index.Snapshot) bool { return list(s) == step.want })
	}
	eventually(t, v, "the folder's new spelling", func(s *index.Snapshot) bool {
		spelt, ok := s.Folder("S.MD")
		_, old := s.Folder("P")
		return ok && spelt == "s.md" && !old
	})
}

// TestRetriedFileIsIndexedOnce: a file that could not be read for a while is in the
// index once.
func TestRetriedFileIsIndexedOnce(t *testing.T) { inBubble(t, testRetriedFileIsIndexedOnce) }

func testRetriedFileIsIndexedOnce(t *testing.T) {
	s := &shaky{Store: mem.New(map[string]string{"A.md": "", "B.md": "x"})}
	v := open(t, s)
	s.fail(nil, errDisk, false)
	for i := range 4 {
		s.Outside("B.md", fmt.Appendf(nil, "[[A]] %d", i))
		time.Sleep(10 * time.Millisecond)
	}
	s.fail(nil, nil, false)
	eventually(t, v, "the link", func(s *index.Snapshot) bool { return len(s.Backlinks("A.md")) == 1 })
	s.Outside("B.md", []byte("none"))
	eventually(t, v, "no link", func(s *index.Snapshot) bool { return len(s.Backlinks("A.md")) == 0 })
}

// slow is a store whose commits run a function before they return.
type slow struct {
	*mem.Store
	during func()
}

func (s slow) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	results, err := s.Store.Commit(ctx, changes)
	s.during()
	return results, err
}

// TestOutsideEditRightAfterCommitIsIndexed: another program edits the note before the
// commit has returned.
func TestOutsideEditRightAfterCommitIsIndexed(t *testing.T) {
	inBubble(t, testOutsideEditRightAfterCommit)
}

func testOutsideEditRightAfterCommit(t *testing.T) {
	s := mem.New(map[string]string{"A.md": ""})
	v := open(t, slow{s, func() {
		s.Outside("A.md", []byte("#theirs"))
		synctest.Wait() // the event is handled first
	}})
	if _, err := v.Edit(t.Context(), "A.md", "", func(*md.Note) ([]md.Splice, error) {
		return []md.Splice{{Text: []byte("#ours")}}, nil
	}); err != nil {
		t.Fatal(err)
	}
	eventually(t, v, "their edit", func(s *index.Snapshot) bool { _, ok := s.Tag("theirs"); return ok })
}

// TestVaultFolderAwayAndBack moves the vault's folder away for a while: the index keeps
// its notes, and follows the folder when it is back.
func TestVaultFolderAwayAndBack(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for the folder store's polling")
	}
	dir := filepath.Join(t.TempDir(), "vault")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "A.md"), []byte("#a"), 0o644); err != nil {
		t.Fatal(err)
	}
	log := new(logged)
	v := openFolder(t, dir, slog.New(slog.NewTextHandler(log, nil)), vault.Options{})
	awaitWatch(t, v, dir)
	if err := os.Rename(dir, dir+" away"); err != nil {
		t.Fatal(err)
	}
	eventually(t, v, "the failed scan", func(*index.Snapshot) bool {
		return strings.Contains(log.String(), "the last known state is kept")
	})
	if now, err := v.Snapshot(t.Context()); err != nil || now.Len() != 1 {
		t.Errorf("%d files, %v", now.Len(), err)
	}
	if err := os.Rename(dir+" away", dir); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		name := fmt.Sprintf("N%d.md", i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		eventually(t, v, name, func(s *index.Snapshot) bool { return s.Entry(vpath.Path(name)) != nil })
	}
}

// TestWaitingEditIsCancelled: an edit that waits for its turn ends with its context.
func TestWaitingEditIsCancelled(t *testing.T) { inBubble(t, testWaitingEditIsCancelled) }

func testWaitingEditIsCancelled(t *testing.T) {
	v := open(t, mem.New(map[string]string{"A.md": ""}))
	done, err := v.Exclusive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := v.Edit(ctx, "A.md", "", func(*md.Note) ([]md.Splice, error) { return nil, nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// held is a store whose scan stops in the middle until it is released.
type held struct {
	*mem.Store
	release chan struct{}
}

func (h held) Scan(ctx context.Context, want func(store.Info) bool, visit func(store.Found)) error {
	var once sync.Once
	return h.Store.Scan(ctx, want, func(found store.Found) {
		visit(found)
		once.Do(func() { <-h.release })
	})
}

// TestPartialIndexIsNeverServed: Open returns at once; Snapshot waits for the whole
// index and reports progress meanwhile.
func TestPartialIndexIsNeverServed(t *testing.T) { inBubble(t, testPartialIndexIsNeverServed) }

func testPartialIndexIsNeverServed(t *testing.T) {
	h := held{mem.New(map[string]string{"A.md": "", "B.md": "", "C.md": ""}), make(chan struct{})}
	v := vault.Open(h, slog.New(slog.DiscardHandler), vault.Options{})
	defer v.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	reported := int64(0)
	if s, err := v.Snapshot(vault.WithProgress(ctx, func(files int64) { reported = files })); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", s, err)
	}
	if reported != 1 {
		t.Errorf("progress: %d files, want 1", reported)
	}
	close(h.release)
	if s, err := v.Snapshot(t.Context()); err != nil || s.Len() != 3 {
		t.Errorf("%v", err)
	}
}

// overtaken is a store in which something happens after a file has been read, once.
type overtaken struct {
	*mem.Store
	meanwhile func()
}

func (o *overtaken) Read(ctx context.Context, path vpath.Path, limit int64) (store.File, error) {
	file, err := o.Store.Read(ctx, path, limit)
	if meanwhile := o.meanwhile; meanwhile != nil {
		o.meanwhile = nil
		meanwhile()
	}
	return file, err
}

// TestRemovalOvertakesRefresh: another program creates a note, and a tool removes it while the index reads it. The index then
// has no note, also if it had one before that was removed.
func TestRemovalOvertakesRefresh(t *testing.T) { inBubble(t, testRemovalOvertakesRefresh) }

func testRemovalOvertakesRefresh(t *testing.T) {
	s := &overtaken{Store: mem.New(map[string]string{"Stays.md": "", "A.md": "first"})}
	v := open(t, s)
	trash := func(path vpath.Path) {
		file, err := s.Store.Read(t.Context(), path, 100)
		if err == nil {
			_, err = v.Commit(t.Context(), []store.Change{{Op: store.Trash, Path: path, Base: file.Rev}})
		}
		if err != nil {
			t.Error(err)
		}
	}
	synctest.Wait()
	trash("A.md")
	for _, path := range []vpath.Path{"A.md", "New.md"} { // the index knows one of them as removed
		done := false
		s.meanwhile = func() { trash(path); done = true }
		s.Outside(path, []byte("second"))
		synctest.Wait()
		if now, err := v.Snapshot(t.Context()); err != nil || !done || now.Has(path) {
			t.Errorf("%s is gone, but in the index (%v, %v)", path, done, err)
		}
	}
}
