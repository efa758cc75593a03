package vector

import (
	"encoding/binary"
	"errors"
	"maps"
)

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
	var directory []byte
	var signs, rest [][]byte
	written := map[Key]bool{}
	for _, key := range keys {
		block, known := before[key]
		if !known || written[key] {
			continue
		}
		written[key] = true
		directory = binary.AppendUvarint(directory, uint64(len(key.Title)))
		directory = append(append(directory, key.Title...), key.Sum[:]...)
		directory = binary.AppendUvarint(directory, uint64(block.Len()))
		signs, rest = append(signs, block.signs), append(rest, block.rest)
	}
	if err := errors.Join(sink.Add(directory), sink.Add(signs...), sink.Add(rest...)); err != nil {
		sink.Abort()
		return err
	}
	sections, owner, err := sink.Commit()
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
	s.saved, s.unsaved = 0, 0
	for _, block := range saved {
		s.saved += block.Size()
	}
	for key, block := range s.blocks {
		_, was := before[key]
		if _, known := saved[key]; !was && !known {
			saved[key] = block
			s.unsaved += block.Size()
		}
	}
	s.blocks = saved
	s.generation++
}

var errSections = errors.New("not the sections of a store of vectors")

// read finds the blocks in sections.
func read(sections [][]byte, owner any) (map[Key]Block, error) {
	if len(sections) != 3 {
		return nil, errSections
	}
	directory, signs, rest := sections[0], sections[1], sections[2]
	blocks := map[Key]Block{}
	for len(directory) > 0 {
		length, n := binary.Uvarint(directory)
		if n <= 0 || length > uint64(len(directory)) || uint64(len(directory)-n) < length+uint64(len(Key{}.Sum)) {
			return nil, errSections
		}
		directory = directory[n:]
		key := Key{Title: string(directory[:length])}
		directory = directory[length:]
		directory = directory[copy(key.Sum[:], directory):]
		count, n := binary.Uvarint(directory)
		if n <= 0 || count > uint64(len(signs)/signSize) || count > uint64(len(rest)/restSize) {
			return nil, errSections
		}
		block := Block{signs: signs[:count*signSize], rest: rest[:count*restSize], owner: owner}
		blocks[key] = block
		directory, signs, rest = directory[n:], signs[len(block.signs):], rest[len(block.rest):]
	}
	if len(signs)+len(rest) > 0 {
		return nil, errSections
	}
	return blocks, nil
}
