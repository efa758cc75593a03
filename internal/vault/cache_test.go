package vault_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/vault"
)

// cached is a vault's folder with its cache.
type cached struct {
	*testing.T
	dir   string
	cache vault.Cache
	log   *logged // of the vault that was opened last
}

// logged is what a vault says.
type logged struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newCached(t *testing.T) *cached {
	return &cached{T: t, dir: t.TempDir(), cache: vault.Cache{File: filepath.Join(t.TempDir(), "cache.idx"), Owner: "test"}}
}

func (c *cached) write(name, text string, age time.Duration) {
	c.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.Fatal(err)
	}
	then := time.Now().Add(-age)
	if err := os.Chtimes(path, then, then); err != nil {
		c.Fatal(err)
	}
}

// open opens the vault; the log tells where the index came from.
func (c *cached) open() *vault.Vault {
	c.Helper()
	s, err := folder.Open(c.dir, folder.Options{State: c.TempDir()})
	if err != nil {
		c.Fatal(err)
	}
	c.log = new(logged)
	v := vault.OpenWith(s, slog.New(slog.NewTextHandler(c.log, nil)), vault.Options{Cache: c.cache})
	if _, err := v.Snapshot(c.Context()); err != nil {
		c.Fatal(err)
	}
	return v
}

// reopen opens and closes the vault, and gives its snapshot and whether it
// came from the cache.
func (c *cached) reopen() (*index.Snapshot, bool) {
	c.Helper()
	v := c.open()
	s, err := v.Snapshot(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	v.Close()
	return s, strings.Contains(c.log.String(), "from the cache")
}

func finds(t *testing.T, s *index.Snapshot, text string) []vpath.Path {
	t.Helper()
	q, err := search.Parse(text, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	results, err := s.Search(context.Background(), index.Search{Query: q, Limit: 50, Sort: index.ByTitle})
	if err != nil {
		t.Fatal(err)
	}
	var paths []vpath.Path
	for _, found := range results.Found {
		paths = append(paths, found.Path)
	}
	return paths
}

func TestCacheIsUsedAndBroughtUpToDate(t *testing.T) {
	c := newCached(t)
	for i := range 50 {
		c.write(fmt.Sprintf("f%d/note %d.md", i%5, i), fmt.Sprintf("alpha number%d [[note %d]] #tag%d", i, i+1, i%3), time.Hour)
	}
	if _, warm := c.reopen(); warm {
		t.Fatal("there was no cache to start from")
	}
	first, warm := c.reopen()
	if !warm || len(finds(t, first, "alpha")) != 50 || len(finds(t, first, "number7")) != 1 {
		t.Fatalf("the second start: warm %v, %d notes\n%s", warm, len(finds(t, first, "alpha")), c.log.String())
	}
	c.write("f0/note 0.md", "beta now", 0)
	c.write("new/note.md", "beta too", time.Hour)
	os.Remove(filepath.Join(c.dir, "f1/note 1.md"))
	os.Rename(filepath.Join(c.dir, "f2/note 2.md"), filepath.Join(c.dir, "f2/renamed.md"))
	os.RemoveAll(filepath.Join(c.dir, "f4"))
	second, warm := c.reopen()
	if !warm {
		t.Error("the cache was not used")
	}
	for text, count := range map[string]int{"alpha": 38, "beta": 2, "number1": 8, "file:renamed": 1} {
		if found := finds(t, second, text); len(found) != count {
			t.Errorf("%s: %d notes, not %d: %v", text, len(found), count, found)
		}
	}
	if _, there := second.Folder("f4"); there {
		t.Error("a folder that is gone is known")
	}
	if got := len(second.Backlinks("f3/note 3.md")); got != 1 {
		t.Errorf("%d backlinks of a note that a renamed one links to", got)
	}
}

// TestCacheNeverLies: what looks the same and is another is noticed.
func TestCacheNeverLies(t *testing.T) {
	c := newCached(t)
	c.write("young.md", "before", 0)
	c.write("future.md", "before", -24*time.Hour)
	c.write("old.md", "before", time.Hour)
	c.reopen()
	// The same size at the same time, as a quick editor or a jump of the clock
	// makes it. A store without inodes and change times would see no difference.
	for _, name := range []string{"young.md", "future.md"} {
		path := filepath.Join(c.dir, name)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("beyond"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
	s, warm := c.reopen()
	if !warm || len(finds(t, s, "beyond")) != 2 || len(finds(t, s, "before")) != 1 {
		t.Errorf("warm %v: beyond in %v, before in %v", warm, finds(t, s, "beyond"), finds(t, s, "before"))
	}
}

// TestDamagedCacheIsBuiltAnew: any damage leads to the right answers.
func TestDamagedCacheIsBuiltAnew(t *testing.T) {
	c := newCached(t)
	for i := range 30 {
		c.write(fmt.Sprintf("note %d.md", i), fmt.Sprintf("alpha number%d [[note %d]]", i, i+1), time.Hour)
	}
	c.reopen()
	whole, err := os.ReadFile(c.cache.File)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		damaged := append([]byte(nil), whole...)
		switch random.IntN(4) {
		case 0:
			damaged = damaged[:random.IntN(len(damaged))]
		case 1:
			damaged = append(damaged, damaged[:100]...)
		default:
			damaged[random.IntN(len(damaged))] ^= byte(1 << random.IntN(8))
		}
		if err := os.WriteFile(c.cache.File, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		s, warm := c.reopen()
		if warm || len(finds(t, s, "alpha")) != 30 || len(s.Backlinks("note 7.md")) != 1 {
			t.Fatalf("warm %v, %d notes", warm, len(finds(t, s, "alpha")))
		}
	}
	if _, warm := c.reopen(); !warm {
		t.Error("the cache was not mended")
	}
	c.cache.Owner = "another vault"
	if _, warm := c.reopen(); warm {
		t.Error("another vault's cache was used")
	}
}

// TestCacheCannotBeWritten: no cache is no reason not to serve.
func TestCacheCannotBeWritten(t *testing.T) {
	c := newCached(t)
	c.write("a.md", "alpha", time.Hour)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.cache.File = filepath.Join(file, "below", "cache.idx")
	if s, _ := c.reopen(); len(finds(t, s, "alpha")) != 1 {
		t.Error("not found")
	}
}

// TestTwoServersOneCache: each has its own view, whoever writes the file.
func TestTwoServersOneCache(t *testing.T) {
	c := newCached(t)
	c.write("a.md", "alpha", time.Hour)
	one := c.open()
	defer one.Close()
	two := c.open()
	defer two.Close()
	c.write("b.md", "beta", 0)
	for _, v := range []*vault.Vault{one, two} {
		eventually(t, v, "what the other wrote", func(s *index.Snapshot) bool {
			return len(finds(t, s, "beta")) == 1 && len(finds(t, s, "alpha")) == 1
		})
	}
}

// TestConsolidation: when much has changed, the index is built anew beside the
// work; it says the same before and after, and the next start is quick.
func TestConsolidation(t *testing.T) {
	defer vault.SetQuietFor(vault.SetQuietFor(10 * time.Millisecond))
	c := newCached(t)
	for i := range 400 {
		c.write(fmt.Sprintf("f%d/note %d.md", i%7, i), fmt.Sprintf("alpha number%d [[note %d]] #tag%d", i, i+1, i%3), time.Hour)
	}
	v := c.open()
	for i := range 300 {
		if i%3 == 0 {
			os.Remove(filepath.Join(c.dir, fmt.Sprintf("f%d/note %d.md", i%7, i)))
		} else {
			c.write(fmt.Sprintf("f%d/note %d.md", i%7, i), fmt.Sprintf("beta number%d [[note %d]]", i, i+1), time.Minute)
		}
	}
	until(t, v, "beta", 200, 5*time.Second)
	eventually(t, v, "a base with all changes", func(s *index.Snapshot) bool { return s.Len() == 300 && s.OverlaySize() < 100 })
	for text, count := range map[string]int{"beta": 50, "alpha": 50, "number299": 1, "number300": 1, "number3": 50} {
		s, err := v.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if found := finds(t, s, text); len(found) != count {
			t.Errorf("%s: %d notes, want %d", text, len(found), count)
		}
	}
	s, _ := v.Snapshot(t.Context())
	if s.Len() != 300 || len(s.Backlinks("f2/note 2.md")) != 1 || len(s.Tagged("tag1", false)) == 0 {
		t.Errorf("%d files, backlinks %v", s.Len(), s.Backlinks("f2/note 2.md"))
	}
	v.Close()
	if again, warm := c.reopen(); !warm || again.Len() != 300 || again.OverlaySize() > 100 {
		t.Errorf("warm %v, %d files, %d of them read again", warm, again.Len(), again.OverlaySize())
	}
}
