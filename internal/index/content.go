package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/cespare/xxhash/v2"

	"obsidian-mcp/internal/note/vpath"
)

// textID identifies the contents of a file, as a key for cached vectors. It is fast but not collision-resistant: nothing
// that affects correctness or access may depend on it.
type textID [16]byte

// idOf returns the ID of data. It is never zero.
func idOf(data []byte) (id textID) {
	other := xxhash.NewWithSeed(1)
	other.Write(data)
	binary.LittleEndian.PutUint64(id[:], xxhash.Sum64(data)|1)
	binary.LittleEndian.PutUint64(id[8:], other.Sum64())
	return id
}

// wasRead reports whether the index has the text of a file.
func (s *Snapshot) wasRead(path vpath.Path) bool {
	return detail(s, path, func(entry *Entry) textID { return entry.id }, idIn) != textID{}
}

// sum returns the SHA-256 of a file that was converted from UTF-16, or "" for any other file.
func (s *Snapshot) sum(path vpath.Path) string {
	return detail(s, path, func(entry *Entry) string { return entry.sum }, sumIn)
}

// Converted reports whether a file was converted from UTF-16, so that its text differs from its bytes.
func (s *Snapshot) Converted(path vpath.Path) bool { return s.sum(path) != "" }

// Hash returns the SHA-256 of a note or canvas in hex, or "" if the file was not read. It is computed on demand, because
// few hashes are ever needed.
func (s *Snapshot) Hash(path vpath.Path) (hash string) {
	if !s.wasRead(path) || !path.IsNote() && !path.IsCanvas() {
		return ""
	}
	if sum := s.sum(path); sum != "" {
		return hex.EncodeToString([]byte(sum))
	}
	s.View(path, func(text []byte) {
		sum := sha256.Sum256(text)
		hash = hex.EncodeToString(sum[:])
	})
	return hash
}

// Holds reports whether the index has the same contents for the entry's file. The entry must not be part of a snapshot yet.
func (s *Snapshot) Holds(entry *Entry) (same bool) {
	if entry.id == (textID{}) || !s.wasRead(entry.Path) || s.sum(entry.Path) != entry.sum {
		return false
	}
	s.View(entry.Path, func(text []byte) { same = bytes.Equal(text, entry.text) })
	return same
}

// SameText compares the contents of a file in two snapshots. isKnown is false unless both snapshots have read the file.
func (s *Snapshot) SameText(other *Snapshot, path vpath.Path) (same, isKnown bool) {
	if !s.wasRead(path) || !other.wasRead(path) {
		return false, false
	}
	s.View(path, func(mine []byte) {
		other.View(path, func(theirs []byte) { same = bytes.Equal(mine, theirs) && s.sum(path) == other.sum(path) })
	})
	return same, true
}
