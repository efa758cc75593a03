package vector

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
)

// maxWidth is that of the largest vectors, with 65,536 numbers.
const maxWidth = 8 << 10

// Sink stores sections, as the index does.
type Sink interface {
	Add(parts ...[]byte) error
	Commit() (sections [][]byte, owner any, err error)
	Abort()
}

// Unsaved returns how many bytes of blocks were added since the store was opened or saved, and how many bytes it has in all.
func (s *Store) Unsaved() (unsaved, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unsaved, s.saved + s.unsaved
}

// Save writes the blocks for some keys and uses them from where they were written. Those for other keys are dropped.
func (s *Store) Save(keys []Key, sink Sink) error {
	s.mu.Lock()
	before := maps.Clone(s.blocks)
	s.mu.Unlock()
	keys, blocks := choose(keys, before)
	directory := binary.AppendUvarint(nil, uint64(widthIn(before)))
	for i, key := range keys {
		directory = binary.AppendUvarint(append(directory, key[:]...), uint64(blocks[i].Len()))
	}
	sections, owner, err := write(sink, directory, blocks)
	if err != nil {
		return err
	}
	saved, err := read(sections, owner)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replace(saved, before)
	return nil
}

// SaveAdded is Save for the blocks that were added since the last save. The others stay where they are, and none of them is dropped.
func (s *Store) SaveAdded(keys []Key, sink Sink) error {
	added := s.added()
	if len(added) == 0 {
		return nil
	}
	keys, blocks := choose(keys, added)
	sections, owner, err := write(sink, nil, blocks)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	together := &part{width: widthIn(added), signs: sections[1], rest: sections[2], owner: owner}
	first := uint32(0)
	for i, key := range keys {
		block := blocks[i]
		if s.blocks[key] == block {
			s.blocks[key] = Block{part: together, first: first, count: block.count}
			s.saved, s.unsaved = s.saved+block.Size(), s.unsaved-block.Size()
		}
		first += block.count
	}
	for key, block := range added {
		if s.blocks[key] == block { // it was not saved
			delete(s.blocks, key)
			s.unsaved -= block.Size()
		}
	}
	s.generation++
	return nil
}

// choose returns the keys that have a block, each once, and their blocks.
func choose(keys []Key, among map[Key]Block) (known []Key, blocks []Block) {
	chosen := map[Key]Block{}
	for _, key := range keys {
		block, isKnown := among[key]
		if _, again := chosen[key]; isKnown && !again {
			chosen[key] = block
			known, blocks = append(known, key), append(blocks, block)
		}
	}
	return known, blocks
}

// write writes three sections: a directory, and the signs and the rest of some blocks.
func write(sink Sink, directory []byte, blocks []Block) (sections [][]byte, owner any, err error) {
	signs, rest := make([][]byte, len(blocks)), make([][]byte, len(blocks))
	for i, block := range blocks {
		signs[i], rest[i] = block.signs(), block.rest()
	}
	if err := errors.Join(sink.Add(directory), sink.Add(signs...), sink.Add(rest...)); err != nil {
		sink.Abort()
		return nil, nil, err
	}
	return sink.Commit()
}

// added returns the blocks that were added since the last save.
func (s *Store) added() map[Key]Block {
	s.mu.Lock()
	defer s.mu.Unlock()
	added := map[Key]Block{}
	for key, block := range s.blocks {
		if block.part.owner == nil {
			added[key] = block
		}
	}
	return added
}

// IsCompact reports whether at least half of the memory of all blocks is used for some keys.
func (s *Store) IsCompact(keys []Key) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := 0
	for _, key := range keys {
		wanted += s.blocks[key].Size()
	}
	return s.saved+s.unsaved <= 2*wanted
}

// Open uses the blocks of sections that Save wrote. Those that were added before stay.
func (s *Store) Open(sections [][]byte, owner any) error {
	saved, err := read(sections, owner)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replace(saved, nil)
	return nil
}

// replace uses other blocks, beside those that were added since.
func (s *Store) replace(saved, before map[Key]Block) {
	added := maps.Clone(s.blocks)
	maps.DeleteFunc(added, func(key Key, _ Block) bool { _, was := before[key]; return was })
	if len(added) > 0 && widthIn(added) != widthIn(saved) {
		saved = map[Key]Block{} // of another model
	}
	s.saved, s.unsaved = 0, 0
	for _, block := range saved {
		s.saved += block.Size()
	}
	for key, block := range added {
		if _, known := saved[key]; !known {
			saved[key] = block
			s.unsaved += block.Size()
		}
	}
	s.blocks, s.width = saved, widthIn(saved)
	s.generation++
}

// widthIn is the width of all vectors of some blocks; 0 if there are none.
func widthIn(blocks map[Key]Block) width {
	for _, block := range blocks {
		return block.width()
	}
	return 0
}

var errSections = errors.New("not the sections of a store of vectors")

// read finds the blocks in sections.
func read(sections [][]byte, owner any) (map[Key]Block, error) {
	if len(sections) != 3 {
		return nil, errSections
	}
	directory, signs, rest := sections[0], sections[1], sections[2]
	blocks := map[Key]Block{}
	size, n := binary.Uvarint(directory)
	if n <= 0 || size > maxWidth || size%8 != 0 {
		return nil, errSections
	}
	w := width(size)
	directory = directory[n:]
	together, first := &part{width: w, signs: signs, rest: rest, owner: owner}, uint64(0)
	for len(directory) > 0 {
		var key Key
		directory = directory[copy(key[:], directory):]
		count, n := binary.Uvarint(directory)
		if n <= 0 || size == 0 || first+count > math.MaxUint32 || count > uint64(len(signs)/int(w)) || count > uint64(len(rest)/w.rest()) {
			return nil, errSections
		}
		blocks[key] = Block{part: together, first: uint32(first), count: uint32(count)}
		directory, signs, rest = directory[n:], signs[int(count)*int(w):], rest[int(count)*w.rest():]
		first += count
	}
	if len(signs)+len(rest) > 0 {
		return nil, errSections
	}
	return blocks, nil
}
