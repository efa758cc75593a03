package vault_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/index/cachefile"
	"obsidian-mcp/internal/testkit/formats"
)

// TestCacheOfThisVersionIsStillRead fails if the index changes its format without a new version, which would make the
// program misread what the last release has cached. Caches of older versions are computed again.
func TestCacheOfThisVersionIsStillRead(t *testing.T) {
	formats.Check(t, formats.Format{Name: "index-cache", Oldest: cachefile.Version, Newest: cachefile.Version}, func(t *testing.T, dir string) {
		c := newCached(t)
		c.cache.File = filepath.Join(dir, "cache.idx")
		c.write("Plan.md", "---\naliases: [Scheme]\ntags: [work]\n---\n# Goals\n\nSee [[Café]]. - [ ] Write #todo\n", time.Hour)
		c.write("sub/Café.md", "Grüße, 世界. ^id\n", time.Hour)
		c.reopen()
		_ = os.Remove(c.cache.File + ".verified") // it says which file of this disk was verified
	}, func(t *testing.T, dir string, _ int) {
		file, err := cachefile.Open(filepath.Join(dir, "cache.idx"), "test")
		if err == nil {
			err = file.Verify()
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := index.Open(file.Sections, file)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(s.Len(), finds(t, s, "Grüße"), finds(t, s, "tag:#work"), finds(t, s, "世界"), s.Tags())
		if want := "2 [sub/Café.md] [Plan.md] [sub/Café.md] [todo work]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if links := s.Backlinks("sub/Café.md"); len(links) != 1 || !slices.Equal(s.Entry("Plan.md").Aliases, []string{"Scheme"}) {
			t.Errorf("backlinks %v, aliases %v", links, s.Entry("Plan.md").Aliases)
		}
	})
}

// TestCacheOfNewerVersionIsLeftAlone checks that two versions of the program that take turns do not overwrite each other's
// cache: the older one works without.
func TestCacheOfNewerVersionIsLeftAlone(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	c.write("A.md", "alpha", time.Hour)
	c.reopen()
	newer, err := os.ReadFile(c.cache.File)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(newer, []byte("OBSIDX\r\n")) + 8
	binary.LittleEndian.PutUint32(newer[at:], cachefile.Version+1)
	if err := os.WriteFile(c.cache.File, newer, 0o600); err != nil {
		t.Fatal(err)
	}
	c.write("B.md", "alpha too", time.Hour)
	s, isCached := c.reopen()
	if isCached || len(finds(t, s, "alpha")) != 2 || !strings.Contains(c.log.String(), "newer version") {
		t.Errorf("cached: %v, found %v, log:\n%s", isCached, finds(t, s, "alpha"), c.log)
	}
	if now, err := os.ReadFile(c.cache.File); err != nil || !bytes.Equal(now, newer) {
		t.Errorf("the newer cache was overwritten (%v)", err)
	}
}
