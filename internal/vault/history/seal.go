package history

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"sync"
)

const (
	iterations = 310_000 // as many as LiveSync itself takes for the passphrase
	keySize    = 32
	tagSize    = 16 // every payload ends with so many bytes that no other has
)

// sealing closes the payloads of a segment and opens them again, if they are as they were and
// where they were.
type sealing interface {
	close(to, plain, bound []byte) []byte
	open(payload, bound []byte) ([]byte, error)
	// code is what a segment's header has to end with.
	code(header []byte) []byte
}

// summed keeps payloads readable, with a checksum.
type summed struct{}

func (summed) close(to, plain, bound []byte) []byte {
	to = append(to, plain...)
	return append(to, sum(bound, plain)[:tagSize]...)
}

func (summed) open(payload, bound []byte) ([]byte, error) {
	if len(payload) < tagSize {
		return nil, errDamaged
	}
	plain, tag := payload[:len(payload)-tagSize], payload[len(payload)-tagSize:]
	if !bytes.Equal(tag, sum(bound, plain)[:tagSize]) {
		return nil, errDamaged
	}
	return plain, nil
}

func (summed) code(header []byte) []byte { return sum(nil, header) }

func sum(bound, data []byte) []byte {
	hash := sha256.New()
	hash.Write(bound)
	hash.Write(data)
	return hash.Sum(nil)
}

// sealed closes payloads with keys of the segment's own. The nonces are random:
// a segment has far fewer frames than the 2^32 for which that is safe.
type sealed struct {
	aead   cipher.AEAD
	header []byte // key of HMAC
}

func (s sealed) close(to, plain, bound []byte) []byte { return s.aead.Seal(to, nil, plain, bound) }

func (s sealed) open(payload, bound []byte) ([]byte, error) {
	plain, err := s.aead.Open(nil, nil, payload, bound)
	if err != nil {
		return nil, errDamaged
	}
	return plain, nil
}

func (s sealed) code(header []byte) []byte {
	hash := hmac.New(sha256.New, s.header)
	hash.Write(header)
	return hash.Sum(nil)
}

// keyring has the keys that a secret makes. Segments share their salt, as far
// as they can, since deriving is slow by design.
type keyring struct {
	secret     string
	iterations int

	mu      sync.Mutex // guards what follows, and is held while deriving
	masters map[string][]byte
}

// sealing is that of the segment of a name.
func (k *keyring) sealing(name string) (sealing, error) {
	if k.secret == "" {
		return summed{}, nil
	}
	master, err := k.master(saltOf(name))
	if err != nil {
		return nil, err
	}
	both, err := hkdf.Expand(sha256.New, master, "obsidian-mcp history "+name, 2*keySize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(both[:keySize])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return sealed{aead: aead, header: both[keySize:]}, err
}

func (k *keyring) master(salt string) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if master := k.masters[salt]; master != nil {
		return master, nil
	}
	master, err := pbkdf2.Key(sha256.New, k.secret, []byte(salt), k.iterations, keySize)
	if err == nil {
		k.masters[salt] = master
	}
	return master, err
}
