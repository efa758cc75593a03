package vector

import (
	"crypto/sha256"
	"sync"

	"obsidian-mcp/internal/text/meaning"
)

// Key identifies the text of a note and its title, which is part of every passage. There are many, so it is short.
type Key [16]byte

// KeyOf returns the key of a note with a title and the ID of its text.
func KeyOf(title string, text [16]byte) (key Key) {
	var room [64]byte // for most titles
	sum := sha256.Sum256(append(append(room[:0], text[:]...), title...))
	copy(key[:], sum[:])
	return key
}

// Store holds the blocks of notes by their texts, so that a text that did not change never needs to be read again.
type Store struct {
	Model meaning.Model

	mu         sync.Mutex // guards what follows
	blocks     map[Key]Block
	width      width // of their vectors
	generation int   // grows with every change
	saved      int   // bytes of blocks that were there when the store was opened or saved
	unsaved    int   // and of those that were added since
}

// NewStore returns a store without blocks.
func NewStore(model meaning.Model) *Store { return &Store{Model: model, blocks: map[Key]Block{}} }

// Generation changes whenever a block is added or the blocks are replaced.
func (s *Store) Generation() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.generation
}

// Get returns the blocks for some keys and the generation that they belong to. Texts that are not known have none.
func (s *Store) Get(keys []Key) (blocks []Block, generation int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	blocks = make([]Block, len(keys))
	for i, key := range keys {
		blocks[i] = s.blocks[key]
	}
	return blocks, s.generation
}

// Add adds the block of a text. If its vectors have another width than those that are known, the model is not the one that made
// those, and they are dropped. A block without a passage is not added.
func (s *Store) Add(key Key, block Block) {
	if block.Len() == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.width != block.width() && len(s.blocks) > 0 {
		clear(s.blocks)
		s.saved, s.unsaved = 0, 0
	}
	s.width = block.width()
	if _, known := s.blocks[key]; !known {
		s.blocks[key] = block
		s.generation++
		s.unsaved += block.Size()
	}
}
