package vault_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/testkit/mode"
	"obsidian-mcp/internal/vault"
)

// cached is a vault's folder with its cache.
type cached struct {
	t     testing.TB
	dir   string
	cache vault.Cache
	log   *logged // of the vault that was opened last
}

// logged collects a log.
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

func newCached(t testing.TB) *cached {
	return &cached{
		t: t, dir: t.TempDir(),
		cache: vault.Cache{File: filepath.Join(t.TempDir(), "cache.idx"), Owner: "test"},
	}
}

func (c *cached) write(name, text string, age time.Duration) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
	then := time.Now().Add(-age)
	if err := os.Chtimes(path, then, then); err != nil {
		c.t.Fatal(err)
	}
}

// open opens the vault; the log says where the index came from.
func (c *cached) open() *vault.Vault {
	c.t.Helper()
	c.log = new(logged)
	return openFolder(c.t, c.dir, slog.New(slog.NewTextHandler(c.log, nil)), vault.Options{Cache: c.cache})
}

// reopen opens and closes the vault, and returns its snapshot and whether it came
// from the cache.
func (c *cached) reopen() (*index.Snapshot, bool) {
	c.t.Helper()
	v := c.open()
	s, err := v.Snapshot(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
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

// A cold index of several segments is merged into one, and changes made meanwhile are in it.
func TestColdIndexIsMerged(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	const notes = 40
	filler := strings.Repeat("words that fill a segment and say nothing else, over and over again\n", 12_000)
	for i := range notes {
		c.write(fmt.Sprintf("note %d.md", i), fmt.Sprintf("alpha number%d [[note %d]] #tag%d\n%s", i, i+1, i%3, filler), time.Hour)
	}
	v := c.open()
	c.write("note 3.md", "alpha changed", time.Minute)
	eventually(t, v, "a merged index with the change", func(s *index.Snapshot) bool {
		return s.Segments() == 1 && len(finds(t, s, "changed")) == 1
	})
	check := func(s *index.Snapshot) {
		t.Helper()
		if all, tagged := len(finds(t, s, "alpha")), len(finds(t, s, "tag:tag1")); all != notes || tagged != 13 {
			t.Errorf("%d notes, %d with a tag", all, tagged)
		}
		if from := s.Sources("note 8.md"); len(from) != 1 || len(finds(t, s, "number3")) != 10 {
			t.Errorf("links from %v, %d notes with number3", from, len(finds(t, s, "number3")))
		}
	}
	s, err := v.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	check(s)
	v.Close()
	again, warm := c.reopen()
	if !warm || again.Segments() != 1 {
		t.Errorf("the second start: warm %v, %d segments", warm, again.Segments())
	}
	check(again)
}

func TestCacheIsUsedAndBroughtUpToDate(t *testing.T) {
	t.Parallel()
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
	if _, ok := second.Folder("f4"); ok {
		t.Error("a removed folder is still in the index")
	}
	if got := len(second.Backlinks("f3/note 3.md")); got != 1 {
		t.Errorf("%d backlinks of a note that a renamed one links to", got)
	}
}

// TestCacheNoticesHiddenChanges: a change that leaves size and time the same is noticed.
func TestCacheNoticesHiddenChanges(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	c.write("young.md", "before", 0)
	c.write("future.md", "before", -24*time.Hour)
	c.write("old.md", "before", time.Hour)
	c.reopen()
	// Same size, same time, as after a quick second save or a jump of the clock. Without
	// inodes and change times, a store could not tell the difference.
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

// TestDamagedCacheIsRebuilt: whatever the damage, the answers are right.
func TestDamagedCacheIsRebuilt(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	for i := range 30 {
		c.write(fmt.Sprintf("note %d.md", i), fmt.Sprintf("alpha number%d [[note %d]]", i, i+1), time.Hour)
	}
	c.reopen()
	whole, err := os.ReadFile(c.cache.File)
	if err != nil {
		t.Fatal(err)
	}
	random := mode.Rand(1)
	rounds := mode.Pick(20, 40, 400)
	if testing.Short() {
		rounds = 5
	}
	for range rounds {
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
		t.Error("the cache was not repaired")
	}
	c.cache.Owner = "another vault"
	if _, warm := c.reopen(); warm {
		t.Error("another vault's cache was used")
	}
}

// A cache file that was verified earlier and rots on the disk is noticed while it is in use, and no edit begins before.
func TestRottenCacheIsReplaced(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	for i := range 30 {
		c.write(fmt.Sprintf("note %d.md", i), fmt.Sprintf("alpha number%d", i), time.Hour)
	}
	c.reopen()
	rotten, err := os.ReadFile(c.cache.File)
	if err != nil {
		t.Fatal(err)
	}
	rotten = bytes.Replace(rotten, []byte("alpha number7"), []byte("alpha nomber7"), 1)
	if err := os.WriteFile(c.cache.File, rotten, 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(c.cache.File)
	if err != nil {
		t.Fatal(err)
	}
	inode, changed := system.Identity(info)
	if changed == 0 {
		t.Skip("this system does not say when a file changed, so that every start verifies the cache")
	}
	state := fmt.Sprintf("%d %d %d %d", inode, info.Size(), info.ModTime().UnixNano(), changed)
	if err := os.WriteFile(c.cache.File+".verified", []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
	v := c.open()
	done, err := v.Exclusive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done()
	s, err := v.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if text := s.Line("note 7.md", 1); text != "alpha number7" {
		t.Errorf("the index says %q after the verification", text)
	}
	v.Close()
	if log := c.log.String(); !strings.Contains(log, "from the cache") || !strings.Contains(log, "damaged") {
		t.Errorf("the log:\n%s", log)
	}
	if _, warm := c.reopen(); !warm {
		t.Error("the cache was not replaced")
	}
}

// TestVaultWorksWithoutCache: a cache that cannot be written does not prevent serving.
func TestVaultWorksWithoutCache(t *testing.T) {
	t.Parallel()
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

// TestServersShareCache: both servers see all changes, whichever writes the cache file.
func TestServersShareCache(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	c.write("a.md", "alpha", time.Hour)
	first, second := c.open(), c.open()
	c.write("b.md", "beta", 0)
	for _, v := range []*vault.Vault{first, second} {
		eventually(t, v, "the new note", func(s *index.Snapshot) bool {
			return len(finds(t, s, "beta")) == 1 && len(finds(t, s, "alpha")) == 1
		})
	}
}

// TestConsolidation: after many changes, the index is rebuilt in the background. It
// gives the same answers before and after, and the next start uses it.
func TestConsolidation(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes 700 files")
	}
	c := newCached(t)
	for i := range 400 {
		text := fmt.Sprintf("alpha number%d [[note %d]] #tag%d", i, i+1, i%3)
		c.write(fmt.Sprintf("f%d/note %d.md", i%7, i), text, time.Hour)
	}
	v := c.open()
	for i := range 300 {
		if i%3 == 0 {
			os.Remove(filepath.Join(c.dir, fmt.Sprintf("f%d/note %d.md", i%7, i)))
		} else {
			c.write(fmt.Sprintf("f%d/note %d.md", i%7, i), fmt.Sprintf("beta number%d [[note %d]]", i, i+1), time.Minute)
		}
	}
	until(t, v, "beta", 200)
	eventually(t, v, "a consolidated index", func(s *index.Snapshot) bool {
		return s.Len() == 300 && s.OverlaySize() < 100
	})
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
