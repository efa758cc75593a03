package cache_test

import (
	"bytes"
	"encoding/binary"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"obsidian-mcp/internal/store/livesync/cache"
	"obsidian-mcp/internal/testkit/formats"
)

// TestCachesOfAllVersions reads the cache of each version.
func TestCachesOfAllVersions(t *testing.T) {
	list := []note{{id: "note.md", rev: "1-a", text: "# Grüße"}, {id: "empty.md", rev: "2-b", text: ""}}
	open := func(t *testing.T, dir string) *cache.Cache {
		c, err := cache.Open(options(filepath.Join(dir, "vault.sealed")))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	formats.Check(t, formats.Format{Name: "livesync-cache", Oldest: 1, Newest: cache.Version}, func(t *testing.T, dir string) {
		c := open(t, dir)
		put(c, list...)
		save(t, c, list...)
		_ = c.Close()
	}, func(t *testing.T, dir string, _ int) {
		c := open(t, dir)
		defer c.Close()
		has(t, c, list...)
	})
}

// TestCacheOfNewerVersionIsLeftAlone checks that neither opening nor saving replaces it.
func TestCacheOfNewerVersionIsLeftAlone(t *testing.T) {
	one := note{id: "note.md", rev: "1-a", text: "text"}
	name, newer := written(t, one)
	binary.LittleEndian.PutUint32(newer[8:], cache.Version+1)
	early := open(t, options(name)) // the older program runs already
	put(early, note{id: "other.md", rev: "1-b", text: "more"})
	for _, content := range [][]byte{newer, newer[:12]} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		o := options(name)
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
		c := open(t, o)
		hasNot(t, c, one)
		put(c, one)
		for _, c := range []*cache.Cache{c, early} {
			if err := c.Save(revisions(one, note{id: "other.md", rev: "1-b"})); err == nil {
				t.Error("saved over the cache of a newer version")
			}
		}
		if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, content) {
			t.Errorf("the newer cache was changed (%v)", err)
		}
		if !bytes.Contains(log.Bytes(), []byte("newer version")) {
			t.Errorf("the log is silent: %s", &log)
		}
	}
}
