package cache_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// bulk returns notes of 2.5 KB.
func bulk(count int) []note {
	list := make([]note, count)
	for i := range list {
		text := strings.Repeat(fmt.Sprintf("A line of the note %d, with [[a link]] and words. ", i), 60)
		list[i] = note{fmt.Sprintf("folder/%d.md", i), "1-a", text[:2500]}
	}
	return list
}

func BenchmarkGet(b *testing.B) {
	all := bulk(1000)
	name, _ := written(b, all...)
	c := open(b, options(name))
	b.SetBytes(2500)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		n := all[i%len(all)]
		if _, ok := c.Get(n.id, n.rev); !ok {
			b.Fatal("the cache lacks a note")
		}
	}
}

func BenchmarkPut(b *testing.B) {
	c := open(b, options(filepath.Join(b.TempDir(), "vault.sealed")))
	data := []byte(bulk(1)[0].text)
	b.SetBytes(2500)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c.Put("folder/note.md", fmt.Sprint(i), data)
	}
}

func BenchmarkSave10k(b *testing.B) {
	all := bulk(10_000)
	name, _ := written(b, all...)
	c := open(b, options(name))
	for i := 0; b.Loop(); i++ {
		newer := note{"new.md", fmt.Sprint(i), "text"}
		put(c, newer)
		save(b, c, append(all, newer)...)
	}
}

func BenchmarkOpen10k(b *testing.B) {
	all := bulk(10_000)
	name, _ := written(b, all...)
	for b.Loop() {
		has(b, open(b, options(name)), all[0])
	}
}
