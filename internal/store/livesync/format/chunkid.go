package format

import (
	"crypto/sha1"
	"encoding/base64"
	"strconv"
	"unicode/utf16"

	"github.com/cespare/xxhash/v2"

	"obsidian-mcp/internal/fault"
)

// HashAlg names the algorithm that turns a chunk's text into its id.
type HashAlg string

// The algorithms that releases of the plugin have used.
const (
	XXHash64   HashAlg = "xxhash64"
	XXHash32   HashAlg = "xxhash32"
	Mixed      HashAlg = "mixed-purejs"
	SHA1       HashAlg = "sha1"
	LegacyHash HashAlg = ""
)

var hashAlgs = []HashAlg{XXHash64, XXHash32, Mixed, SHA1, LegacyHash}

// Hasher makes the ids of chunks. An id depends on the plain text alone, so that this program and the devices
// share chunks. Use NewHasher.
type Hasher struct {
	alg    HashAlg
	sealed bool
	pass   string // the part of the passphrase that goes into an id, hashed
	pass32 uint32
}

// passphraseSalt precedes the passphrase when it is hashed.
const passphraseSalt = "a83hrf7f\u0003y7sa8g31"

// NewHasher makes a Hasher for a database encrypted with pass, or not encrypted if pass is empty.
func NewHasher(alg HashAlg, pass Passphrase) (*Hasher, error) {
	hasher := &Hasher{alg: alg, sealed: pass != ""}
	if _, err := hasher.hash(""); err != nil {
		return nil, err
	}
	if hasher.sealed {
		hasher.pass, hasher.pass32 = hashPassphrase(pass)
	}
	return hasher, nil
}

// ID returns the id of the chunk that holds piece, given as the text before compression and encryption.
func (h *Hasher) ID(piece string) string {
	hash, err := h.hash(piece)
	if err != nil {
		panic("format: Hasher not made by NewHasher: " + err.Error())
	}
	if h.sealed {
		return sealedPrefix + hash
	}
	return chunkPrefix + hash
}

func (h *Hasher) hash(piece string) (string, error) {
	length := utf16Length(piece)
	counted := piece + "-" + strconv.Itoa(length)
	if h.sealed {
		counted = piece + "-" + h.pass + "-" + strconv.Itoa(length)
	}
	switch h.alg {
	case XXHash64:
		return base36(xxhash.Sum64String(counted)), nil
	case XXHash32:
		return base36(uint64(xxhash32(counted))), nil
	case SHA1:
		sum := sha1.Sum([]byte(counted))
		return base64.StdEncoding.EncodeToString(sum[:]), nil
	case Mixed:
		if h.sealed {
			counted = piece + h.pass + strconv.Itoa(length)
		}
		return mixedText(utf16.Encode([]rune(counted))), nil
	case LegacyHash:
		return strconv.FormatInt(int64(int32(xxhash32(piece)^h.pass32^uint32(length))), 36), nil
	}
	return "", fault.PermissionDenied.Errorf("the database uses the chunk hash %q, which this release does not know", string(h.alg)).
		WithHint("notes can be read; to write, try a newer release of this program")
}

// hashPassphrase hashes the first three quarters of the passphrase, counted in UTF-16 units; the cut may
// fall inside a character.
func hashPassphrase(pass Passphrase) (text string, number uint32) {
	units := utf16.Encode([]rune(string(pass)))
	salted := append(utf16.Encode([]rune(passphraseSalt)), units[:len(units)*3/4]...)
	number, _ = mixed(salted, 0x12345678)
	return mixedText(salted), number
}
