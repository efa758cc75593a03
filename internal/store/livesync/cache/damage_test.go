package cache_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"obsidian-mcp/internal/store/livesync/cache"
)

var few = []note{{"a.md", "1-a", "first"}, {"b.md", "1-b", "second"}, {"c.md", "1-c", strings.Repeat("third ", 30)}}

// found counts the notes that bytes hold as a cache's file. Each of them is
// as it was put, or is not there.
func found(t *testing.T, what string, data []byte) int {
	t.Helper()
	o := options("")
	get, count := cache.InMemory(data, o.Secret, o.Owner), 0
	for _, n := range few {
		got, ok := get(n.id, n.rev)
		if !ok {
			continue
		}
		count++
		if string(got) != n.text {
			t.Errorf("%s: %s is %q", what, n.id, got)
		}
	}
	return count
}

// TestTruncated: what is before the cut is there.
func TestTruncated(t *testing.T) {
	_, whole := written(t, few...)
	before := 0
	for length := range len(whole) + 1 {
		count := found(t, fmt.Sprintf("%d bytes", length), whole[:length])
		if count < before {
			t.Errorf("%d bytes give %d notes, fewer bytes gave %d", length, count, before)
		}
		before = count
	}
	if before != len(few) {
		t.Errorf("the whole file gives %d notes", before)
	}
}

// TestFlipped: no bit can be another one without the note being gone. What
// one does to a content, or in front of it, harms that note alone; a length
// takes what follows along.
func TestFlipped(t *testing.T) {
	_, whole := written(t, few...)
	for i := range whole {
		for bit := range 8 {
			damaged := bytes.Clone(whole)
			damaged[i] ^= 1 << bit
			count := found(t, fmt.Sprintf("bit %d of byte %d", bit, i), damaged)
			if count == len(few) || i < cache.HeaderSize && count > 0 {
				t.Errorf("bit %d of byte %d: %d notes", bit, i, count)
			}
		}
	}
	last := bytes.Clone(whole)
	last[len(last)-1] ^= 1
	if count := found(t, "the last byte", last); count != len(few)-1 {
		t.Errorf("a damaged note at the end leaves %d", count)
	}
}

// TestSwapped: a content under another note's key is not that note's.
func TestSwapped(t *testing.T) {
	pair := []note{{"a.md", "1-a", "alike"}, {"b.md", "1-b", "equal"}}
	_, whole := written(t, pair...)
	frame := (len(whole) - cache.HeaderSize) / 2
	const key = 16
	for from, want := range map[int]int{0: 2, key: 0} { // whole records may change places
		damaged := bytes.Clone(whole)
		first, second := cache.HeaderSize, cache.HeaderSize+frame
		copy(damaged[first+from:second], whole[second+from:])
		copy(damaged[second+from:], whole[first+from:second])
		get, count := cache.InMemory(damaged, options("").Secret, options("").Owner), 0
		for _, n := range pair {
			if got, ok := get(n.id, n.rev); ok && string(got) == n.text {
				count++
			} else if ok {
				t.Errorf("swapped from %d on: %s is %q", from, n.id, got)
			}
		}
		if count != want {
			t.Errorf("swapped from %d on: %d notes, not %d", from, count, want)
		}
	}
}

// TestHeals: what was damaged can be put again, and is saved.
func TestHeals(t *testing.T) {
	name, whole := written(t, few...)
	whole[len(whole)-1] ^= 1
	cut := whole[cache.HeaderSize : cache.HeaderSize+30] // a record that was not written to its end
	if err := os.WriteFile(name, append(whole, cut...), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	o := options(name)
	o.Log = slog.New(slog.NewTextHandler(&said, nil))
	c := open(t, o)
	hit := 0
	for _, n := range few {
		if _, ok := c.Get(n.id, n.rev); ok {
			hit++
		}
	}
	if hit != len(few)-1 || !strings.Contains(said.String(), "damaged") {
		t.Errorf("%d notes are there, and the log says %q", hit, said.String())
	}
	put(c, few...)
	has(t, c, few...)
	save(t, c, few...)
	has(t, open(t, options(name)), few...)
}

// TestCutWhileOpen: a file that somebody cuts under our hands.
func TestCutWhileOpen(t *testing.T) {
	name, whole := written(t, notes...)
	c := open(t, options(name))
	hasNot(t, c, note{id: "unknown"}) // it is open
	if err := os.Truncate(name, int64(len(whole)/2)); err != nil {
		t.Fatal(err)
	}
	save(t, c, notes[:1]...) // copies what can be read
	for _, n := range notes {
		if got, ok := c.Get(n.id, n.rev); ok && string(got) != n.text {
			t.Errorf("%s is %q", n.id, got)
		}
	}
	put(c, notes...)
	has(t, c, notes...)
}

// TestFullDisk: what was put stays, further notes are not kept, which is said
// once; and a save that fails leaves the file before.
func TestFullDisk(t *testing.T) {
	for _, left := range []int{0, 1, 30, 500, 5000} {
		t.Run(fmt.Sprintf("%d bytes", left), func(t *testing.T) {
			name, before := written(t, few...)
			var said bytes.Buffer
			o := options(name)
			o.Log = slog.New(slog.NewTextHandler(&said, nil))
			c := open(t, o)
			free := cache.FillDisk(c, left)
			put(c, notes...)
			put(c, notes...)
			if strings.Count(said.String(), "level=WARN") != 1 {
				t.Errorf("the log says %q", said.String())
			}
			kept := few
			for _, n := range notes {
				if got, ok := c.Get(n.id, n.rev); ok {
					kept = append(kept[:len(kept):len(kept)], n)
					if string(got) != n.text {
						t.Errorf("%s is %q", n.id, got)
					}
				}
			}
			c2 := open(t, options(name))
			cache.FillDisk(c2, 100)
			put(c2, note{"tiny", "1-a", "x"})
			if err := c2.Save(revisions(few[0], note{id: "tiny", rev: "1-a"})); err == nil {
				t.Error("saved on a full disk")
			}
			if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, before) {
				t.Errorf("the file before is another one: %v", err)
			}
			free()
			save(t, c, kept...)
			has(t, open(t, options(name)), kept...)
		})
	}
}

func FuzzOpen(f *testing.F) {
	_, whole := written(f, few...)
	f.Add(whole)
	f.Add(whole[:cache.HeaderSize])
	f.Add(append(bytes.Clone(whole), whole[cache.HeaderSize:]...))
	f.Add([]byte("OBSEAL\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) { found(t, "fuzzed", data) })
}
