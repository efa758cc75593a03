package index

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"obsidian-mcp/internal/note/vpath"
)

// Comparison finds out what has changed in a vault since a snapshot. It may be used by several goroutines.
type Comparison struct {
	s    *Snapshot
	seen []atomic.Uint64 // the files of the base, by number

	mu    sync.Mutex // guards newer
	newer map[vpath.Path]bool
}

// Compare starts a comparison.
func (s *Snapshot) Compare() *Comparison {
	return &Comparison{s: s, seen: make([]atomic.Uint64, (len(s.base.paths)+63)/64), newer: map[vpath.Path]bool{}}
}

// Known returns a function that reports whether the snapshot has a file in the state of a mark. If so, the file counts as seen. The function
// is for a single goroutine. It answers faster if the file is the next one that was indexed.
func (c *Comparison) Known() func(path, mark []byte) bool {
	paths, next := c.s.base.paths, 0
	return func(path, mark []byte) bool {
		if c.s.entries.over.len() > 0 {
			if entry, newer := c.s.entries.over.get(vpath.Path(path)); newer {
				known := entry != nil && entry.Mark == string(mark)
				if known {
					c.seeNewer(vpath.Path(path))
				}
				return known
			}
		}
		if next >= len(paths) || string(paths[next]) != string(path) {
			doc, inBase := c.s.base.docOf(vpath.Path(path))
			if !inBase {
				return false
			}
			next = int(doc)
		}
		doc := int32(next)
		next++
		if !c.s.base.marked(doc, mark) {
			return false
		}
		c.see(doc)
		return true
	}
}

// See says that a file still exists, in whatever state. It reports whether the snapshot has it.
func (c *Comparison) See(path vpath.Path) bool {
	if entry, newer := c.s.entries.over.get(path); newer {
		if entry != nil {
			c.seeNewer(path)
		}
		return entry != nil
	}
	doc, inBase := c.s.base.docOf(path)
	if inBase {
		c.see(doc)
	}
	return inBase
}

func (c *Comparison) see(doc int32) { c.seen[doc>>6].Or(uint64(1) << (doc & 63)) }

func (c *Comparison) seeNewer(path vpath.Path) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.newer[path] = true
}

// Seen is how many files of the snapshot still exist.
func (c *Comparison) Seen() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	count := len(c.newer)
	for i := range c.seen {
		count += bits.OnesCount64(c.seen[i].Load())
	}
	return count
}

// Unseen yields the files of the snapshot that were not seen.
func (c *Comparison) Unseen(yield func(vpath.Path) bool) {
	if c.Seen() == c.s.Len() {
		return
	}
	c.s.Files(func(path vpath.Path) bool {
		if _, newer := c.s.entries.over.get(path); newer {
			return c.newer[path] || yield(path)
		}
		doc := c.s.base.byPath()[path]
		return c.seen[doc>>6].Load()&(1<<(doc&63)) != 0 || yield(path)
	})
}
