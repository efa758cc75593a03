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

// found counts the notes in the bytes of a cache file. A note may be missing, but must not have a wrong content.
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

// TestTruncatedFile: notes before the cut are found.
func TestTruncatedFile(t *testing.T) {
	_, data := written(t, few...)
	before := 0
	for length := range len(data) + 1 {
		count := found(t, fmt.Sprintf("%d bytes", length), data[:length])
		if count < before {
			t.Errorf("found %d notes in %d bytes, but %d in fewer bytes", count, length, before)
		}
		before = count
	}
	if before != len(few) {
		t.Errorf("found %d notes in the complete file", before)
	}
}

// TestFlippedBit: every flipped bit is noticed. In a record's key or content it affects that note alone; in a record's
// length, the following notes too.
func TestFlippedBit(t *testing.T) {
	_, data := written(t, few...)
	for i := range data {
		for bit := range 8 {
			damaged := bytes.Clone(data)
			damaged[i] ^= 1 << bit
			count := found(t, fmt.Sprintf("bit %d of byte %d", bit, i), damaged)
			if count == len(few) || i < cache.HeaderSize && count > 0 {
				t.Errorf("bit %d of byte %d: %d notes", bit, i, count)
			}
		}
	}
	last := bytes.Clone(data)
	last[len(last)-1] ^= 1
	if count := found(t, "the last byte", last); count != len(few)-1 {
		t.Errorf("found %d notes before a damaged last one", count)
	}
}

// TestSwappedContents: a content that was moved to another note's key is not returned.
func TestSwappedContents(t *testing.T) {
	pair := []note{{"a.md", "1-a", "alike"}, {"b.md", "1-b", "equal"}}
	_, data := written(t, pair...)
	frame := (len(data) - cache.HeaderSize) / 2
	const key = 16
	for from, want := range map[int]int{0: 2, key: 0} { // swapping complete records does no harm
		damaged := bytes.Clone(data)
		first, second := cache.HeaderSize, cache.HeaderSize+frame
		copy(damaged[first+from:second], data[second+from:])
		copy(damaged[second+from:], data[first+from:second])
		get, count := cache.InMemory(damaged, options("").Secret, options("").Owner), 0
		for _, n := range pair {
			if got, ok := get(n.id, n.rev); ok && string(got) == n.text {
				count++
			} else if ok {
				t.Errorf("swapped from %d on: %s is %q", from, n.id, got)
			}
		}
		if count != want {
			t.Errorf("swapped from %d on: found %d notes, want %d", from, count, want)
		}
	}
}

// TestDamagedNoteCanBePutAgain: a damaged note is reported in the log and missing until it is put again.
func TestDamagedNoteCanBePutAgain(t *testing.T) {
	name, data := written(t, few...)
	data[len(data)-1] ^= 1
	cut := data[cache.HeaderSize : cache.HeaderSize+30] // an incomplete record
	if err := os.WriteFile(name, append(data, cut...), 0o600); err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	o := options(name)
	o.Log = slog.New(slog.NewTextHandler(&logged, nil))
	c := open(t, o)
	hits := 0
	for _, n := range few {
		if _, ok := c.Get(n.id, n.rev); ok {
			hits++
		}
	}
	if hits != len(few)-1 || !strings.Contains(logged.String(), "damaged") {
		t.Errorf("found %d notes, and the log says %q", hits, logged.String())
	}
	put(c, few...)
	has(t, c, few...)
	save(t, c, few...)
	has(t, open(t, options(name)), few...)
}

// TestTruncatedWhileOpen truncates a file that is open.
func TestTruncatedWhileOpen(t *testing.T) {
	name, data := written(t, notes...)
	c := open(t, options(name))
	hasNot(t, c, note{id: "unknown"}) // waits until the file is open
	if err := os.Truncate(name, int64(len(data)/2)); err != nil {
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

// TestFullDisk: notes put before the disk was full stay, later ones are dropped with one line in the log, and a failing
// Save leaves the file unchanged.
func TestFullDisk(t *testing.T) {
	for _, left := range []int{0, 1, 30, 500, 5000} {
		t.Run(fmt.Sprintf("%d bytes", left), func(t *testing.T) {
			name, before := written(t, few...)
			var logged bytes.Buffer
			o := options(name)
			o.Log = slog.New(slog.NewTextHandler(&logged, nil))
			c := open(t, o)
			free := cache.FillDisk(c, left)
			put(c, notes...)
			put(c, notes...)
			if strings.Count(logged.String(), "level=WARN") != 1 {
				t.Errorf("the log says %q", logged.String())
			}
			stored := few
			for _, n := range notes {
				if got, ok := c.Get(n.id, n.rev); ok {
					stored = append(stored[:len(stored):len(stored)], n)
					if string(got) != n.text {
						t.Errorf("%s is %q", n.id, got)
					}
				}
			}
			c2 := open(t, options(name))
			cache.FillDisk(c2, 100)
			put(c2, note{"tiny", "1-a", "x"})
			if err := c2.Save(revisions(few[0], note{id: "tiny", rev: "1-a"})); err == nil {
				t.Error("Save succeeds on a full disk")
			}
			if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, before) {
				t.Errorf("the file has changed: %v", err)
			}
			free()
			save(t, c, stored...)
			has(t, open(t, options(name)), stored...)
		})
	}
}

func FuzzOpen(f *testing.F) {
	_, data := written(f, few...)
	f.Add(data)
	f.Add(data[:cache.HeaderSize])
	f.Add(append(bytes.Clone(data), data[cache.HeaderSize:]...))
	f.Add([]byte("OBSEAL\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) { found(t, "fuzzed", data) })
}
