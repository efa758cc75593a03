package ops

import (
	"crypto/sha256"
	"hash/maphash"
	"sync"

	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/note/vpath"
)

// textKey identifies a text while the program runs, or is zero if there is none. The seed is secret, so nobody can craft
// two texts with the same key.
type textKey struct {
	hash   uint64
	length int
}

var textSeed = maphash.MakeSeed()

// viewWithKey is View with the key of the text.
func viewWithKey(s *index.Snapshot, path vpath.Path, use func(key textKey, text []byte)) {
	s.View(path, func(text []byte) { use(textKey{maphash.Bytes(textSeed, text), len(text)}, text) })
}

// textMemory remembers what a report found out about the texts of notes, so that the next one looks only at those that have changed.
// What the last report on all notes did not need is forgotten.
type textMemory[V any] struct {
	mu    sync.Mutex        // guards what follows
	key   [sha256.Size]byte // what the values depend on, beside the texts
	texts map[textKey]V
}

// of returns what is known for a key. The caller must not change it.
func (m *textMemory[V]) of(key [sha256.Size]byte) map[textKey]V {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.key != key {
		return nil
	}
	return m.texts
}

// keep replaces the remembered values.
func (m *textMemory[V]) keep(key [sha256.Size]byte, texts map[textKey]V) {
	delete(texts, textKey{})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.key, m.texts = key, texts
}
