package cache_test

import (
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/store/livesync/cache"
)

// note is a content with its id and revision.
type note struct{ id, rev, text string }

var notes = []note{
	{"folder/plain note.md", "1-aaaa", "some words that nobody may read"},
	{"folder/plain note.md", "2-bbbb", "the words of a later revision"},
	{"f:0123456789", "7-cccc", strings.Repeat("a text that gets smaller ", 200)},
	{"empty.md", "1-dddd", ""},
	{"noise.bin", "1-eeee", noise(5000)},
}

// noise returns a content that cannot be compressed.
func noise(size int) string {
	random := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	return string(data)
}

func options(file string) cache.Options {
	return cache.Options{File: file, Secret: "correct horse", Owner: "https://couch.example/vault"}
}

func open(t testing.TB, o cache.Options) *cache.Cache {
	t.Helper()
	c, err := cache.OpenQuickly(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c
}

func put(c *cache.Cache, list ...note) {
	for _, n := range list {
		c.Put(n.id, n.rev, []byte(n.text))
	}
}

// revisions returns the ids and revisions of notes.
func revisions(list ...note) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, n := range list {
			if !yield(n.id, n.rev) {
				return
			}
		}
	}
}

func save(t testing.TB, c *cache.Cache, list ...note) {
	t.Helper()
	if err := c.Save(revisions(list...)); err != nil {
		t.Fatal(err)
	}
}

func has(t testing.TB, c *cache.Cache, list ...note) {
	t.Helper()
	for _, n := range list {
		if got, ok := c.Get(n.id, n.rev); !ok || string(got) != n.text {
			t.Errorf("%s %s is %.40q, %v", n.id, n.rev, got, ok)
		}
	}
}

func hasNot(t testing.TB, c *cache.Cache, list ...note) {
	t.Helper()
	for _, n := range list {
		if got, ok := c.Get(n.id, n.rev); ok {
			t.Errorf("the cache has %s %s: %.40q", n.id, n.rev, got)
		}
	}
}

// written makes a cache file with the notes, and returns its name and bytes.
func written(t testing.TB, list ...note) (name string, data []byte) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "vault.sealed")
	c := open(t, options(name))
	put(c, list...)
	save(t, c, list...)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return name, data
}

// deltas returns the temporary files of a cache.
func deltas(t testing.TB, name string) []string {
	t.Helper()
	found, err := filepath.Glob(name + ".*.tmp")
	if err != nil {
		t.Fatal(err)
	}
	return found
}
