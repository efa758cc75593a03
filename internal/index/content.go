package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/cespare/xxhash/v2"

	"obsidian-mcp/internal/note/vpath"
)

// textID tells the bytes of a file from those of others, for what is computed from them and kept. It is quick to compute, and somebody
// who wants to can make two files with the same one. Nothing that must not be lost or seen may depend on it.
type textID [16]byte

// idOf returns the ID of some bytes, which is never zero.
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

// sum returns the SHA-256 of a file's bytes if its text is not made of these, or "".
func (s *Snapshot) sum(path vpath.Path) string {
	return detail(s, path, func(entry *Entry) string { return entry.sum }, sumIn)
}

// Hash returns the SHA-256 of the bytes of a note or a canvas in hex, or "" if it was not read. It is not stored, because most are
// never asked for.
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

// Holds reports whether a file has the same bytes as an entry that no snapshot has taken yet.
func (s *Snapshot) Holds(entry *Entry) (same bool) {
	if entry.id == (textID{}) || !s.wasRead(entry.Path) || s.sum(entry.Path) != entry.sum {
		return false
	}
	s.View(entry.Path, func(text []byte) { same = bytes.Equal(text, entry.text) })
	return same
}

// SameText reports whether a file has the same bytes as in another snapshot. It is not known unless both have read it.
func (s *Snapshot) SameText(other *Snapshot, path vpath.Path) (same, isKnown bool) {
	if !s.wasRead(path) || !other.wasRead(path) {
		return false, false
	}
	s.View(path, func(mine []byte) {
		other.View(path, func(theirs []byte) { same = bytes.Equal(mine, theirs) && s.sum(path) == other.sum(path) })
	})
	return same, true
}
