package vault_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/vault"
)

// until waits until a search finds a text in count notes.
func until(t testing.TB, v *vault.Vault, text string, count int) {
	t.Helper()
	query, err := search.Parse(text, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, v, fmt.Sprintf("%q in %d notes", text, count), func(s *index.Snapshot) bool {
		results, err := s.Search(context.Background(), index.Search{Query: query})
		return err == nil && results.Total == count
	})
}

func TestSearchIsFresh(t *testing.T) {
	t.Parallel()
	c := newCached(t)
	for i := range 30 {
		c.write(fmt.Sprintf("note %d.md", i), "before", time.Hour)
	}
	v := c.open()
	if _, err := v.Commit(t.Context(), []store.Change{{Path: "own.md", Data: []byte("ownword")}}); err != nil {
		t.Fatal(err)
	}
	s, err := v.Snapshot(t.Context())
	if err != nil || len(finds(t, s, "ownword")) != 1 {
		t.Errorf("our own write is not found in the next call (%v)", err)
	}
	awaitWatch(t, v, c.dir)
	c.write("note 7.md", "outsideword", 0)
	until(t, v, "outsideword", 1)
	if err := os.Remove(filepath.Join(c.dir, "note 8.md")); err != nil {
		t.Fatal(err)
	}
	until(t, v, "before", 28)
}

// writeNumbered writes one of the files of a checkout.
func (c *cached) writeNumbered(i int, word string, age time.Duration) {
	text := fmt.Sprintf("%s number%d [[note %d]] some text to index", word, i, i+1)
	c.write(fmt.Sprintf("f%d/note %d.md", i%30, i), text, age)
}

// writeCheckout writes the 1,500 files of a vault before a checkout.
func (c *cached) writeCheckout() {
	for i := range 1500 {
		c.writeNumbered(i, "before", time.Hour)
	}
}

// openAsServed opens the vault with the pauses that the server has, for benchmarks.
func (c *cached) openAsServed() *vault.Vault {
	c.t.Helper()
	s, err := folder.Open(c.dir, folder.Options{State: c.t.TempDir()})
	if err != nil {
		c.t.Fatal(err)
	}
	v := opened(c.t, vault.Open(s, slog.New(slog.DiscardHandler), vault.Options{Cache: c.cache}))
	awaitWatch(c.t, v, c.dir)
	return v
}

// TestSearchDuringCheckout: a thousand files change at once; searches go on meanwhile and
// never fail, and in the end all changes are found.
func TestSearchDuringCheckout(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes 2,500 files")
	}
	c := newCached(t)
	c.writeCheckout()
	v := c.open()
	awaitWatch(t, v, c.dir)
	query, err := search.Parse("number77 OR after", search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	written, searches := make(chan struct{}), 0
	go func() {
		defer close(written)
		for i := range 1000 {
			c.writeNumbered(i, "after", 0)
		}
	}()
	for writing := true; writing; searches++ {
		select {
		case <-written:
			writing = false
		default:
		}
		s, err := v.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if results, err := s.Search(t.Context(), index.Search{Query: query, Limit: 10}); err != nil || results.Total == 0 {
			t.Fatalf("search %d: %d results, %v", searches, results.Total, err)
		}
	}
	until(t, v, "after", 1000)
	t.Logf("%d searches during the checkout", searches)
}

// BenchmarkOutsideEdit measures how long it takes until a search finds another program's edit.
func BenchmarkOutsideEdit(b *testing.B) {
	c := newCached(b)
	c.write("note.md", "before", time.Hour)
	v := c.openAsServed()
	for edit := 0; b.Loop(); edit++ {
		word := fmt.Sprintf("word%d", edit)
		c.write("note.md", word, 0)
		until(b, v, word, 1)
	}
}

// BenchmarkCheckout changes 1,000 files at once. It reports how long after the last write a search finds them all,
// and how long the slowest search took meanwhile.
func BenchmarkCheckout(b *testing.B) {
	c := newCached(b)
	c.writeCheckout()
	v := c.openAsServed()
	query, err := search.Parse("number77 OR after", search.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var lag, slowest time.Duration
	for round := 0; b.Loop(); round++ {
		written := make(chan time.Time, 1)
		word := fmt.Sprintf("after%d", round)
		go func() {
			for i := range 1000 {
				c.writeNumbered(i, word, 0)
			}
			written <- time.Now()
		}()
		for len(written) == 0 {
			started := time.Now()
			s, err := v.Snapshot(b.Context())
			if err == nil {
				_, err = s.Search(b.Context(), index.Search{Query: query, Limit: 10})
			}
			if err != nil {
				b.Fatal(err)
			}
			slowest = max(slowest, time.Since(started))
			time.Sleep(5 * time.Millisecond) // a client asks now and then, not all the time
		}
		until(b, v, word, 1000)
		lag = max(lag, time.Since(<-written))
	}
	b.ReportMetric(lag.Seconds()*1e3, "ms-until-found")
	b.ReportMetric(slowest.Seconds()*1e3, "ms-slowest-search")
}
