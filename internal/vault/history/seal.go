package history

import (
	"bytes"
	"crypto/cipher"
	"crypto/sha256"
	"sync"

	"obsidian-mcp/internal/system/seal"
)

// tagSize is the size of the tag that ends every payload.
const tagSize = 16

// sealing protects the payloads of a segment. A payload opens only if it is
// unchanged and at the place where it was written, which bound stands for.
type sealing interface {
	close(to, plain, bound []byte) []byte
	open(payload, bound []byte) ([]byte, error)
	// code returns the bytes that authenticate a segment's header.
	code(header []byte) []byte
}

// checksummed leaves payloads readable and adds a checksum.
type checksummed struct{}

func (checksummed) close(to, plain, bound []byte) []byte {
	to = append(to, plain...)
	return append(to, checksum(bound, plain)[:tagSize]...)
}

func (checksummed) open(payload, bound []byte) ([]byte, error) {
	if len(payload) < tagSize {
		return nil, errDamaged
	}
	plain, tag := payload[:len(payload)-tagSize], payload[len(payload)-tagSize:]
	if !bytes.Equal(tag, checksum(bound, plain)[:tagSize]) {
		return nil, errDamaged
	}
	return plain, nil
}

func (checksummed) code(header []byte) []byte { return checksum(nil, header) }

func checksum(bound, data []byte) []byte {
	hash := sha256.New()
	hash.Write(bound)
	hash.Write(data)
	return hash.Sum(nil)
}

// encrypted encrypts payloads with the segment's own key. The nonces are random: a
// segment has far fewer frames than the 2^32 for which that is safe.
type encrypted struct {
	aead   cipher.AEAD
	header []byte // HMAC key
}

func (e encrypted) close(to, plain, bound []byte) []byte { return e.aead.Seal(to, nil, plain, bound) }

func (e encrypted) open(payload, bound []byte) ([]byte, error) {
	plain, err := e.aead.Open(nil, nil, payload, bound)
	if err != nil {
		return nil, errDamaged
	}
	return plain, nil
}

func (e encrypted) code(header []byte) []byte { return seal.MAC(e.header, header) }

// keyring derives the keys of segments from a secret. Segments share their salt
// where they can, because stretching the secret is slow by design.
type keyring struct {
	secret     string
	iterations int

	mu      sync.Mutex // guards masters, and is held while one is derived
	masters map[string]seal.Master
}

func newKeyring(secret string, iterations int) *keyring {
	return &keyring{secret: secret, iterations: iterations, masters: map[string]seal.Master{}}
}

// sealing returns the protection of the segment with a name.
func (k *keyring) sealing(name string) (sealing, error) {
	if k.secret == "" {
		return checksummed{}, nil
	}
	master, err := k.master(saltOf(name))
	if err != nil {
		return nil, err
	}
	keys, err := master.Derive("obsidian-mcp history "+name, 2*seal.KeySize)
	if err != nil {
		return nil, err
	}
	aead, err := seal.AEAD(keys[:seal.KeySize])
	return encrypted{aead: aead, header: keys[seal.KeySize:]}, err
}

func (k *keyring) master(salt string) (seal.Master, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if master := k.masters[salt]; master != nil {
		return master, nil
	}
	master, err := seal.Stretch(k.secret, []byte(salt), k.iterations)
	if err == nil {
		k.masters[salt] = master
	}
	return master, err
}
