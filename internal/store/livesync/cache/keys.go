package cache

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
)

const (
	iterations = 310_000 // as many as LiveSync uses for the passphrase
	saltSize   = 16
	keySize    = 32
)

// recordKey identifies a document's revision. Without the secret nobody can compute it.
type recordKey [16]byte

// keys are derived from a secret and a salt.
type keys struct {
	salt   []byte
	naming []byte // HMAC key for ids and revisions
	header []byte // HMAC key for the header
	// aead uses a random 96-bit nonce per record. With up to 2^32 records per key, the chance that two nonces are equal
	// is below 2^-32. A revision's record is encrypted once and copied unchanged afterwards, so a vault with ten edits a
	// second would take 13 years to reach that number. A counter would not work, since several processes share a key.
	aead cipher.AEAD
}

// deriver derives the keys for a salt.
type deriver func(salt []byte) (*keys, error)

func deriveKeys(secret string, salt []byte, iterations int) (*keys, error) {
	master, err := pbkdf2.Key(sha256.New, secret, salt, iterations, keySize)
	if err != nil {
		return nil, err
	}
	k := &keys{salt: salt}
	var sealing []byte
	for info, key := range map[string]*[]byte{"sealing": &sealing, "naming": &k.naming, "header": &k.header} {
		if *key, err = hkdf.Expand(sha256.New, master, "obsidian-mcp cache "+info, keySize); err != nil {
			return nil, err
		}
	}
	block, err := aes.NewCipher(sealing)
	if err != nil {
		return nil, err
	}
	k.aead, err = cipher.NewGCMWithRandomNonce(block)
	return k, err
}

// name returns the key of a document's revision. A revision contains no zero byte, so no two pairs have the same input.
func (k *keys) name(id, rev string) recordKey {
	return recordKey(mac(k.naming, []byte(id), []byte{0}, []byte(rev)))
}

func mac(key []byte, parts ...[]byte) []byte {
	hash := hmac.New(sha256.New, key)
	for _, part := range parts {
		hash.Write(part)
	}
	return hash.Sum(nil)
}
