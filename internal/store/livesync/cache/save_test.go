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

// TestSaveKeepsWhatIsCurrent: and nothing else, once that is worth it.
func TestSaveKeepsWhatIsCurrent(t *testing.T) {
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
		t.Errorf("written anew without need: %v", err)
	}
	has(t, c, many...)

	save(t, c, many[3:]...)
	if want := len(before) * 3 / 4; size() > want {
		t.Errorf("%d bytes, of %d before", size(), len(before))
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
		t.Errorf("nothing is current, and %d bytes are kept", size())
	}
}

// TestPutWhileSaving: what is put when Save has begun to write stays for the
// next one; and the sequence of what is current may use the cache.
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
		t.Errorf("left beside the file: %v", left)
	}
}

func TestClose(t *testing.T) {
	name, _ := written(t, notes[:2]...)
	c := open(t, options(name))
	put(c, notes...)
	if len(deltas(t, name)) != 1 {
		t.Errorf("what was put is not beside the file: %v", deltas(t, name))
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if left := deltas(t, name); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	hasNot(t, c, notes...)
	put(c, notes...)
	if err := c.Save(revisions(notes...)); err == nil {
		t.Error("saved after it was closed")
	}
	later := open(t, options(name))
	has(t, later, notes[:2]...)
	hasNot(t, later, notes[2:]...)
}

// TestSweep: what killed processes left is removed, but not what may be in use;
// and what is in use nevertheless goes on.
func TestSweep(t *testing.T) {
	name, _ := written(t, notes[0])
	living := open(t, options(name))
	put(living, notes[1:]...)
	other := filepath.Join(filepath.Dir(name), "other.sealed.X.tmp")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	started := func(later time.Duration) {
		o := options(name)
		o.Now = func() time.Time { return time.Now().Add(later) }
		has(t, open(t, o), notes[0])
	}
	started(50 * time.Minute)
	if len(deltas(t, name)) != 1 {
		t.Error("what may be in use was removed")
	}
	started(70 * time.Minute)
	if left := deltas(t, name); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("another cache's file was removed: %v", err)
	}
	has(t, living, notes...)
	save(t, living, notes...)
	has(t, open(t, options(name)), notes...)
}

// TestShared: each process goes on with what it has opened; the last wins.
func TestShared(t *testing.T) {
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

// TestAtOnce is for the race detector.
func TestAtOnce(t *testing.T) {
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
