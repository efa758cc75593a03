package vault_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/query/search"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/vault"
)

// until waits until a search finds a text in count notes.
func until(t *testing.T, v *vault.Vault, text string, count int) {
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

// TestSearchDuringCheckout: a thousand files change at once; searches go on meanwhile and
// never fail, and in the end all changes are found.
func TestSearchDuringCheckout(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes 2,500 files")
	}
	c := newCached(t)
	write := func(i int, word string, age time.Duration) {
		text := fmt.Sprintf("%s number%d [[note %d]] some text to index", word, i, i+1)
		c.write(fmt.Sprintf("f%d/note %d.md", i%30, i), text, age)
	}
	for i := range 1500 {
		write(i, "before", time.Hour)
	}
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
			write(i, "after", 0)
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
