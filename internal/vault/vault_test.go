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
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/md"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/vault"
)

func open(t *testing.T, s store.Store) *vault.Vault {
	t.Helper()
	v := vault.Open(s, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { v.Close() })
	if _, err := v.Snapshot(t.Context()); err != nil && !errors.Is(err, fault.StoreUnavailable) {
		t.Fatal(err)
	}
	return v
}

// eventually waits until the index says what it should.
func eventually(t *testing.T, v *vault.Vault, what string, holds func(*index.Snapshot) bool) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		s, err := v.Snapshot(t.Context())
		if err == nil && holds(s) {
			return
		}
		if time.Since(begun) > 5*time.Second {
			t.Fatalf("%s: not in the index (%v)", what, err)
		}
	}
}

// shaky is a store that fails on request.
type shaky struct {
	*mem.Store
	mu    sync.Mutex // guards what follows
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

// TestErrorsAreNoDeletions: what cannot be read stays known, and is read when
// it can be again.
func TestErrorsAreNoDeletions(t *testing.T) {
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
		time.Sleep(50 * time.Millisecond)
		now, err := v.Snapshot(t.Context())
		if err != nil || now.Len() != 2 {
			t.Errorf("%s: %d files are known, %v", name, now.Len(), err)
		}
	}
	s.fail(nil, nil, false)
	eventually(t, v, "the change made meanwhile", func(s *index.Snapshot) bool { _, ok := s.Tag("changed"); return ok })
}

func TestUnreachableVaultIsTriedAgain(t *testing.T) {
	s := &shaky{Store: mem.New(map[string]string{"A.md": "#a"})}
	s.fail(errDisk, errDisk, false)
	v := open(t, s)
	if _, err := v.Snapshot(t.Context()); !errors.Is(err, fault.StoreUnavailable) {
		t.Errorf("got %v", err)
	}
	s.fail(nil, nil, false)
	eventually(t, v, "the vault", func(s *index.Snapshot) bool { return s.Len() == 1 })
}

// TestCommitsAreSeenAtOnce: after a commit the index knows it.
func TestCommitsAreSeenAtOnce(t *testing.T) {
	s := mem.New(map[string]string{"A.md": "#a"})
	v := open(t, s)
	s.Outside("A.md", []byte("#outside")) // the index may not know it yet
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
		t.Error("the new folder is not known")
	}
}

// TestManyEditsEndInOneIndex: the index is that of the last edit, whatever the
// order in which they finish.
func TestManyEditsEndInOneIndex(t *testing.T) {
	for range 20 {
		s := mem.New(map[string]string{"A.md": ""})
		v := open(t, s)
		var edits sync.WaitGroup
		for i := range 8 {
			edits.Go(func() {
				_, err := v.Edit(t.Context(), "A.md", "", func(note *md.Note) ([]md.Splice, error) {
					return []md.Splice{{Span: md.Span{Start: len(note.Source), End: len(note.Source)}, Text: fmt.Appendf(nil, "#t%d ", i)}}, nil
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

// TestFoldersFollow changes folders behind the vault's back.
func TestFoldersFollow(t *testing.T) {
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
		for _, one := range s.Names() {
			names = append(names, string(one.Path))
		}
		return strings.Join(names, " ")
	}
	write("P/sub/one.md", "1")
	store, err := folder.Open(dir, folder.Options{State: t.TempDir()})
	must(err)
	v := open(t, store)
	time.Sleep(200 * time.Millisecond) // until the watches are set
	for _, step := range []struct {
		what string
		do   func()
		want string
	}{
		{"a renamed folder", func() { must(os.Rename(at("P"), at("Q"))) }, "Q/sub/one.md"},
		{"a new file in what was below it", func() { write("Q/sub/two.md", "2") }, "Q/sub/one.md Q/sub/two.md"},
		{"a folder exchanged for another", func() { must(os.Rename(at("Q"), at("R"))); must(os.Mkdir(at("Q"), 0o755)) }, "R/sub/one.md R/sub/two.md"},
		{"a folder exchanged for a file", func() { must(os.RemoveAll(at("R"))); write("R", "x"); write("S.md", "s") }, "S.md"},
		{"a file exchanged for a folder", func() { must(os.Remove(at("S.md"))); write("S.md/in.md", "s") }, "S.md/in.md"},
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

// TestRetriesCountOnce: a file that could not be read for a while is in the
// index once.
func TestRetriesCountOnce(t *testing.T) {
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

// slow is a store whose commits take their time to return.
type slow struct {
	*mem.Store
	during func()
}

func (s slow) Commit(ctx context.Context, changes []store.Change) ([]store.Result, error) {
	results, err := s.Store.Commit(ctx, changes)
	s.during()
	return results, err
}

// TestOutsideEditRightAfterACommit is in the index in the end.
func TestOutsideEditRightAfterACommit(t *testing.T) {
	s := mem.New(map[string]string{"A.md": ""})
	v := open(t, slow{s, func() {
		s.Outside("A.md", []byte("#theirs"))
		time.Sleep(30 * time.Millisecond) // the event is handled first
	}})
	if _, err := v.Edit(t.Context(), "A.md", "", func(*md.Note) ([]md.Splice, error) {
		return []md.Splice{{Text: []byte("#ours")}}, nil
	}); err != nil {
		t.Fatal(err)
	}
	eventually(t, v, "their edit", func(s *index.Snapshot) bool { _, ok := s.Tag("theirs"); return ok })
}

// TestRootAwayAndBack takes the vault's folder away for a while.
func TestRootAwayAndBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "A.md"), []byte("#a"), 0o644); err != nil {
		t.Fatal(err)
	}
	store, err := folder.Open(dir, folder.Options{State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	v := open(t, store)
	time.Sleep(200 * time.Millisecond)
	if err := os.Rename(dir, dir+" away"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
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

// TestWaitingEndsWithTheCall: whoever waits for a turn goes away with the call.
func TestWaitingEndsWithTheCall(t *testing.T) {
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

// held is a store whose scan stops in the middle until it is let go.
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

// TestNobodyIsAnsweredFromHalfAnIndex: opening returns at once; whoever needs
// the index waits for all of it, and is told how far it is.
func TestNobodyIsAnsweredFromHalfAnIndex(t *testing.T) {
	h := held{mem.New(map[string]string{"A.md": "", "B.md": "", "C.md": ""}), make(chan struct{})}
	v := vault.Open(h, slog.New(slog.DiscardHandler))
	defer v.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	told := int64(0)
	if s, err := v.Snapshot(vault.WithProgress(ctx, func(files int64) { told = files })); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", s, err)
	}
	if told != 1 {
		t.Errorf("told of %d files", told)
	}
	close(h.release)
	if s, err := v.Snapshot(t.Context()); err != nil || s.Len() != 3 {
		t.Errorf("%v", err)
	}
}
