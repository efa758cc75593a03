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

// until waits until a text is found in so many notes, and tells how long that
// took.
func until(t *testing.T, v *vault.Vault, text string, count int, most time.Duration) time.Duration {
	t.Helper()
	q, err := search.Parse(text, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); ; time.Sleep(2 * time.Millisecond) {
		s, err := v.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		results, err := s.Search(context.Background(), index.Search{Query: q})
		if err == nil && results.Total == count {
			return time.Since(begun)
		}
		if time.Since(begun) > most {
			t.Fatalf("%q is in %d notes after %v, not in %d", text, results.Total, most, count)
		}
	}
}

func TestSearchIsFresh(t *testing.T) {
	c := newCached(t)
	for i := range 300 {
		c.write(fmt.Sprintf("note %d.md", i), "before", time.Hour)
	}
	v := c.open()
	defer v.Close()
	if _, err := v.Commit(t.Context(), []store.Change{{Path: "own.md", Data: []byte("ownword")}}); err != nil {
		t.Fatal(err)
	}
	s, err := v.Snapshot(t.Context())
	if err != nil || len(finds(t, s, "ownword")) != 1 {
		t.Errorf("our own write is not found in the next call (%v)", err)
	}
	eventually(t, v, "a watch", func(*index.Snapshot) bool {
		c.write("probe.md", fmt.Sprint("probe ", time.Now().UnixNano()), 0)
		now, _ := v.Snapshot(t.Context())
		return len(finds(t, now, "probe")) == 1
	})
	c.write("note 7.md", "outsideword", 0)
	t.Logf("an outside edit is found after %v", until(t, v, "outsideword", 1, 500*time.Millisecond))
	os.Remove(filepath.Join(c.dir, "note 8.md"))
	until(t, v, "before", 298, 500*time.Millisecond)
}

// TestCheckout: a thousand files change at once, and queries go on.
func TestCheckout(t *testing.T) {
	c := newCached(t)
	for i := range 1500 {
		c.write(fmt.Sprintf("f%d/note %d.md", i%30, i), fmt.Sprintf("before number%d [[note %d]] some more text to index", i, i+1), time.Hour)
	}
	v := c.open()
	defer v.Close()
	eventually(t, v, "a watch", func(*index.Snapshot) bool {
		c.write("probe.md", fmt.Sprint("probe ", time.Now().UnixNano()), 0)
		now, _ := v.Snapshot(t.Context())
		return len(finds(t, now, "probe")) == 1
	})
	stop, slowest := make(chan struct{}), make(chan time.Duration)
	go func() { // somebody who asks all the time
		worst := time.Duration(0)
		for {
			select {
			case <-stop:
				slowest <- worst
				return
			default:
			}
			begun := time.Now()
			if s, err := v.Snapshot(context.Background()); err == nil {
				q, _ := search.Parse("number77 OR after", search.Options{})
				_, _ = s.Search(context.Background(), index.Search{Query: q, Limit: 10})
			}
			worst = max(worst, time.Since(begun))
			time.Sleep(5 * time.Millisecond)
		}
	}()
	for i := range 1000 {
		c.write(fmt.Sprintf("f%d/note %d.md", i%30, i), fmt.Sprintf("after number%d [[note %d]] some other text", i, i+1), 0)
	}
	took := until(t, v, "after", 1000, 3*time.Second)
	close(stop)
	worst := <-slowest
	t.Logf("1,000 files are found %v after the last was written; the slowest query meanwhile took %v", took, worst)
	if worst > time.Second {
		t.Errorf("a query took %v", worst)
	}
}
