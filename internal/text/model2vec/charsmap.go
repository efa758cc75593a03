package model2vec

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"unicode"
	"unicode/utf8"
)

// charsmap replaces characters as SentencePiece does. It is a trie in a double array, and the texts that its values point to.
type charsmap struct {
	units []uint32
	texts []byte
}

var errCharsmap = errors.New("the precompiled_charsmap is damaged")

// readCharsmap reads a map: the bytes of the trie, the trie, the texts, each with a zero behind it.
func readCharsmap(encoded string) (*charsmap, error) {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(data) < 4 {
		return nil, errCharsmap
	}
	size := binary.LittleEndian.Uint32(data)
	data = data[4:]
	if uint64(size) > uint64(len(data)) || size%4 != 0 || size == 0 {
		return nil, errCharsmap
	}
	m := &charsmap{units: make([]uint32, size/4), texts: data[size:]}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return m, nil
}

// longestChunk is the most bytes of a character with its marks that are looked for together.
const longestChunk = 5

// change replaces the characters of a text that the map has.
func (m *charsmap) change(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		_, first := utf8.DecodeRune(text[i:])
		end := i + first
		for end < len(text) {
			c, size := utf8.DecodeRune(text[end:])
			if !unicode.IsMark(c) {
				break
			}
			end += size
		}
		if replacement, has := m.find(text[i:end]); has && end-i <= longestChunk {
			out = append(out, replacement...)
			i = end
			continue
		}
		for i < end {
			_, size := utf8.DecodeRune(text[i:])
			if replacement, has := m.find(text[i : i+size]); has {
				out = append(out, replacement...)
			} else {
				out = append(out, text[i:i+size]...)
			}
			i += size
		}
	}
	return out
}

// find returns what the shortest beginning of a chunk that the map has is replaced by.
func (m *charsmap) find(chunk []byte) (replacement []byte, has bool) {
	at := offset(m.units[0])
	for _, b := range chunk {
		at ^= uint32(b)
		unit, ok := m.unit(at)
		if !ok || label(unit) != uint32(b) {
			return nil, false
		}
		at ^= offset(unit)
		if hasLeaf(unit) {
			leaf, ok := m.unit(at)
			from := leaf &^ (1 << 31)
			if !ok || from >= uint32(len(m.texts)) {
				return nil, false
			}
			replacement, _, _ = bytes.Cut(m.texts[from:], []byte{0})
			return replacement, true
		}
	}
	return nil, false
}

func (m *charsmap) unit(at uint32) (unit uint32, ok bool) {
	if at >= uint32(len(m.units)) {
		return 0, false
	}
	return m.units[at], true
}

// The bits of a unit: eight of its label, one that says whether a value follows, one that stretches the offset, the offset.
func label(unit uint32) uint32  { return unit & (1<<31 | 0xFF) }
func hasLeaf(unit uint32) bool  { return unit>>8&1 == 1 }
func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }
