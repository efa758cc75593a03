package cache_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/store/livesync/cache"
)

// TestSaveDropsOutdatedContents: Save writes a new file without them once they are more than a fifth of it.
func TestSaveDropsOutdatedContents(t *testing.T) {
	many := make([]note, 10)
	for i := range many {
		many[i] = note{fmt.Sprintf("%d.md", i), "1-a", noise(1000)}
	}
	name, before := written(t, many...)
	c := open(t, options(name))
	size := func() int {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return int(info.Size())
	}
	stat, _ := os.Stat(name)
	save(t, c, many...)
	save(t, c, many[1:]...) // a tenth is out of date
	if now, err := os.Stat(name); err != nil || !os.SameFile(stat, now) {
		t.Errorf("Save wrote a new file without need: %v", err)
	}
	has(t, c, many...)

	save(t, c, many[3:]...)
	if want := len(before) * 3 / 4; size() > want {
		t.Errorf("the file has %d bytes, %d before", size(), len(before))
	}
	has(t, c, many[3:]...)
	hasNot(t, c, many[:3]...)
	hasNot(t, open(t, options(name)), many[:3]...)

	newer := note{"3.md", "2-b", "changed"}
	put(c, newer)
	save(t, c, append(many[4:], newer, newer)...)
	has(t, open(t, options(name)), append(many[4:], newer)...)
	hasNot(t, c, many[3])

	save(t, c)
	if size() != cache.HeaderSize {
		t.Errorf("the file has %d bytes although nothing is current", size())
	}
}

// TestPutWhileSaving: contents put while Save writes are saved by the next one. The sequence passed to Save may use the
// cache.
func TestPutWhileSaving(t *testing.T) {
	name := filepath.Join(t.TempDir(), "vault.sealed")
	c := open(t, options(name))
	put(c, notes[:2]...)
	cache.WhenCreating(c, func() { put(c, notes[2]) })
	err := c.Save(func(yield func(string, string) bool) {
		has(t, c, notes[0])
		put(c, notes[3])
		yield(notes[0].id, notes[0].rev)
	})
	if err != nil {
		t.Fatal(err)
	}
	has(t, c, notes[0], notes[2])
	hasNot(t, c, notes[1], notes[3])
	hasNot(t, open(t, options(name)), notes[1:]...)
	save(t, c, notes...)
	has(t, open(t, options(name)), notes[0], notes[2])
	if left := deltas(t, name); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestClose(t *testing.T) {
	name, _ := written(t, notes[:2]...)
	c := open(t, options(name))
	put(c, notes...)
	if len(deltas(t, name)) != 1 {
		t.Errorf("temporary files: %v, want one", deltas(t, name))
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if left := deltas(t, name); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
	hasNot(t, c, notes...)
	put(c, notes...)
	if err := c.Save(revisions(notes...)); err == nil {
		t.Error("Save succeeds after Close")
	}
	later := open(t, options(name))
	has(t, later, notes[:2]...)
	hasNot(t, later, notes[2:]...)
}

// TestSweep: temporary files of killed processes are removed when they are old enough. A process that still has one open
// can go on using it.
func TestSweep(t *testing.T) {
	name, _ := written(t, notes[0])
	running := open(t, options(name))
	put(running, notes[1:]...)
	other := filepath.Join(filepath.Dir(name), "other.sealed.X.tmp")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	startAfter := func(later time.Duration) {
		o := options(name)
		o.Now = func() time.Time { return time.Now().Add(later) }
		has(t, open(t, o), notes[0])
	}
	startAfter(50 * time.Minute)
	if len(deltas(t, name)) != 1 {
		t.Error("a recent temporary file was removed")
	}
	startAfter(70 * time.Minute)
	if left := deltas(t, name); len(left) != 0 {
		t.Errorf("temporary files are left: %v", left)
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("another cache's file was removed: %v", err)
	}
	has(t, running, notes...)
	save(t, running, notes...)
	has(t, open(t, options(name)), notes...)
}

// TestSharedFile: each process keeps using the file that it opened, and the last Save wins.
func TestSharedFile(t *testing.T) {
	name, _ := written(t, notes[0])
	first, second := open(t, options(name)), open(t, options(name))
	put(first, notes[1])
	put(second, notes[2:]...)
	save(t, first, notes...)
	has(t, second, notes[0], notes[2])
	hasNot(t, second, notes[1])
	save(t, second, notes...)
	has(t, first, notes[:2]...)
	third := open(t, options(name))
	has(t, third, notes[0], notes[2])
	hasNot(t, third, notes[1])
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	name := filepath.Join(t.TempDir(), "vault.sealed")
	c := open(t, options(name))
	all := make([]note, 200)
	for i := range all {
		all[i] = note{fmt.Sprintf("%d.md", i), "1-a", strings.Repeat(fmt.Sprintf("text %d ", i), 1+i)}
	}
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for i, n := range all {
				put(c, n)
				before := all[i/2]
				if got, ok := c.Get(before.id, before.rev); !ok || string(got) != before.text {
					t.Errorf("%s is %.30q, %v", before.id, got, ok)
				}
			}
		})
	}
	workers.Go(func() {
		for range 10 {
			if err := c.Save(revisions(all...)); err != nil {
				t.Error(err)
			}
		}
	})
	workers.Wait()
	save(t, c, all...)
	has(t, c, all...)
	has(t, open(t, options(name)), all...)
}
