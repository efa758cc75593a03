package ops

import (
	"crypto/sha256"
	"sync"

	"obsidian-mcp/internal/index"
)

// textMemory remembers what a report found out about the texts of notes, so that the next one looks only at those that have changed.
// What the last report on all notes did not need is forgotten.
type textMemory[V any] struct {
	mu    sync.Mutex        // guards what follows
	key   [sha256.Size]byte // what the values depend on, beside the texts
	texts map[index.TextID]V
}

// of returns what is known for a key. The caller must not change it.
func (m *textMemory[V]) of(key [sha256.Size]byte) map[index.TextID]V {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.key != key {
		return nil
	}
	return m.texts
}

// keep replaces what is known. A text without an ID cannot be told from others, and is not remembered.
func (m *textMemory[V]) keep(key [sha256.Size]byte, texts map[index.TextID]V) {
	delete(texts, index.TextID{})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.key, m.texts = key, texts
}
