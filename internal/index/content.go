package index

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/cespare/xxhash/v2"

	"obsidian-mcp/internal/note/vpath"
)

// TextID tells the bytes of a file from those of others. It is quick to compute, and two files that somebody makes on purpose may have
// the same one: nothing that must not be lost or seen may depend on it.
type TextID [16]byte

// idOf returns the ID of some bytes, which is never zero.
func idOf(data []byte) (id TextID) {
	other := xxhash.NewWithSeed(1)
	other.Write(data)
	binary.LittleEndian.PutUint64(id[:], xxhash.Sum64(data)|1)
	binary.LittleEndian.PutUint64(id[8:], other.Sum64())
	return id
}

// HasText reports whether the file was read.
func (e *Entry) HasText() bool { return e.id != TextID{} }

// SameText reports whether a file is known to have the same bytes as another.
func (e *Entry) SameText(other *Entry) bool { return e.HasText() && e.id == other.id }

// TextID returns the ID of a file's bytes, or zero if the file was not read. It is cheaper than its entry.
func (s *Snapshot) TextID(path vpath.Path) TextID {
	return detail(s, path, func(entry *Entry) TextID { return entry.id }, idIn)
}

// Hash returns the SHA-256 of the bytes of a note or a canvas in hex, or "" if it was not read. It is not stored, because most are
// never asked for.
func (s *Snapshot) Hash(path vpath.Path) (hash string) {
	if s.TextID(path) == (TextID{}) || !path.IsNote() && !path.IsCanvas() {
		return ""
	}
	if sum := detail(s, path, func(entry *Entry) string { return entry.sum }, sumIn); sum != "" {
		return hex.EncodeToString([]byte(sum))
	}
	s.View(path, func(text []byte) {
		sum := sha256.Sum256(text)
		hash = hex.EncodeToString(sum[:])
	})
	return hash
}
