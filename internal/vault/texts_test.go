package vault_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/vault"
)

// openHeld opens the vault. Words are indexed only after the words function returns.
func (c *cached) openHeld(words func(context.Context) error) *vault.Vault {
	c.t.Helper()
	return c.openHeldOn(func(s store.Store) store.Store { return s }, words)
}

func (c *cached) openHeldOn(on func(store.Store) store.Store, words func(context.Context) error) *vault.Vault {
	c.t.Helper()
	s, err := folder.Open(c.dir, folder.Options{State: c.t.TempDir()})
	if err != nil {
		c.t.Fatal(err)
	}
	c.log = new(logged)
	v := vault.OpenHeld(on(s), slog.New(slog.NewTextHandler(c.log, nil)), vault.Options{Cache: c.cache}, words)
	c.t.Cleanup(func() { v.Close() })
	return v
}

// While words are being indexed for the first time, names, links and texts are available and kept up to date, and only Texts
// returns an index without words. Changes made in the meantime can be found afterwards.
func TestTextsComeBeforeWords(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	c.write("A.md", "alpha [[B]]", time.Hour)
	c.write("B.md", "beta", time.Hour)
	c.write("Gone.md", "gamma", time.Hour)
	hold := make(chan struct{})
	v := c.openHeld(func(context.Context) error { <-hold; return nil })
	s, err := v.Texts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if links := s.Backlinks("B.md"); s.Len() != 3 || s.Text("A.md") != "alpha [[B]]" || len(links) != 1 || s.HasWords() {
		t.Errorf("%d files, A.md is %q, links to B %v, has words: %t", s.Len(), s.Text("A.md"), links, s.HasWords())
	}
	if v.Ready() != nil || v.Readable() != s {
		t.Error("the index counts as ready")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v.Snapshot(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("Snapshot returned before there were words: %v", err)
	}

	if _, err := v.Commit(t.Context(), []store.Change{{Op: store.Write, Base: store.Absent, Path: "New.md", Data: []byte("delta [[B]]")}}); err != nil {
		t.Fatal(err)
	}
	c.write("B.md", "beta is now epsilon", 0)
	if err := os.Remove(filepath.Join(c.dir, "Gone.md")); err != nil {
		t.Fatal(err)
	}
	current := func() bool {
		now := v.Readable()
		return now.Has("New.md") && !now.Has("Gone.md") && strings.Contains(now.Text("B.md"), "epsilon")
	}
	for deadline := time.Now().Add(patience); !current(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the early index does not follow changes")
		}
	}
	close(hold)
	s, err = v.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]string{"alpha": "A.md", "delta": "New.md", "epsilon": "B.md", "gamma": ""} {
		got := ""
		for _, path := range finds(t, s, word) {
			got += string(path)
		}
		if got != want {
			t.Errorf("%s is found in %q, want %q", word, got, want)
		}
	}
	if len(s.Backlinks("B.md")) != 2 {
		t.Errorf("links to B: %v", s.Backlinks("B.md"))
	}
	v.Close()
	if _, isCached := c.reopen(); !isCached {
		t.Error("the index was not cached")
	}
}

// If the cache fails while words are being indexed, the index is built in memory and includes later changes.
func TestCacheFailsWhileWordsAreRead(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	c.write("A.md", "alpha", time.Hour)
	hold := make(chan struct{})
	v := c.openHeld(func(context.Context) error { <-hold; return vault.ErrCache })
	if _, err := v.Texts(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Commit(t.Context(), []store.Change{{Op: store.Write, Base: store.Absent, Path: "New.md", Data: []byte("alpha too")}}); err != nil {
		t.Fatal(err)
	}
	close(hold)
	s, err := v.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := finds(t, s, "alpha"); len(got) != 2 || !strings.Contains(c.log.String(), "the disk is full") {
		t.Errorf("found %v, log:\n%s", got, c.log)
	}
}

// If building fails after the texts were published, they stay in use until another attempt succeeds.
func TestBuildFailsAfterTexts(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	c.write("A.md", "alpha", time.Hour)
	var attempts atomic.Int32
	v := c.openHeld(func(context.Context) error {
		if attempts.Add(1) < 3 {
			return errors.New("the vault went away")
		}
		return nil
	})
	early, err := v.Texts(t.Context())
	if err != nil || !early.Has("A.md") {
		t.Fatalf("%v", err)
	}
	eventually(t, v, "the words", func(s *index.Snapshot) bool {
		return s.HasWords() && len(finds(t, s, "alpha")) == 1
	})
	if attempts.Load() != 3 {
		t.Errorf("%d attempts", attempts.Load())
	}
}

// A vault that is closed while words are read leaves no cache behind.
func TestCloseWhileWordsAreRead(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	c.write("A.md", "alpha", time.Hour)
	v := c.openHeld(func(ctx context.Context) error { <-ctx.Done(); return nil })
	if _, err := v.Texts(t.Context()); err != nil {
		t.Fatal(err)
	}
	v.Close()
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(c.cache.File), "*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A limited caller gets the early index without closed files.
func TestTextsThroughWindow(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	c.write("open/A.md", "alpha [[B]]", time.Hour)
	c.write("closed/B.md", "beta", time.Hour)
	hold := make(chan struct{})
	defer close(hold)
	v := c.openHeld(func(context.Context) error { <-hold; return nil })
	view := limited(t, v, "closed")
	s, err := view.Texts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 1 || s.Has("closed/B.md") || view.Ready() != nil || view.Readable().Len() != 1 {
		t.Errorf("the window shows %d files", s.Len())
	}
	if file, err := view.Read(t.Context(), "open/A.md", 100); err != nil || string(file.Data) != "alpha [[B]]" {
		t.Errorf("%q, %v", file.Data, err)
	}
	if _, err := view.Read(t.Context(), vpath.Path("closed/B.md"), 100); err == nil {
		t.Error("a closed note was read")
	}
}

// unmounted is a store that appears empty once it is gone, like the mount point of a missing disk.
type unmounted struct {
	store.Store
	gone atomic.Bool
}

func (u *unmounted) Scan(ctx context.Context, want func(store.Info) bool, visit func(store.Found)) error {
	if u.gone.Load() {
		return nil
	}
	return u.Store.Scan(ctx, want, visit)
}

// If indexing words fails, the next attempt uses the texts that callers have already seen, not the files, which may have
// changed unnoticed or be gone.
func TestWordsAreMadeOfTheTextsThatWereSeen(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{"the cache fails": vault.ErrCache, "something else fails": errors.New("no luck")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCached(t)
			c.write("A.md", "alpha", time.Hour)
			c.write("B.md", "alpha too", time.Hour)
			var disk *unmounted
			mount := func(s store.Store) store.Store { disk = &unmounted{Store: s}; return disk }
			hold := make(chan struct{})
			var attempts atomic.Int32
			v := c.openHeldOn(mount, func(context.Context) error {
				if <-hold; attempts.Add(1) > 1 {
					return nil
				}
				return failure
			})
			if _, err := v.Texts(t.Context()); err != nil {
				t.Fatal(err)
			}
			disk.gone.Store(true)
			close(hold)
			s, err := v.Snapshot(t.Context())
			for deadline := time.Now().Add(patience); err != nil && time.Now().Before(deadline); s, err = v.Snapshot(t.Context()) {
				time.Sleep(time.Millisecond) // it is tried again
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := finds(t, s, "alpha"); len(got) != 2 {
				t.Errorf("found %v", got)
			}
		})
	}
}
