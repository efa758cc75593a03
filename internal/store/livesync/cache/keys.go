package cache

import (
	"crypto/cipher"

	"obsidian-mcp/internal/system/seal"
)

const saltSize = 16

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
	master, err := seal.Stretch(secret, salt, iterations)
	if err != nil {
		return nil, err
	}
	k := &keys{salt: salt}
	var sealing []byte
	for purpose, key := range map[string]*[]byte{"sealing": &sealing, "naming": &k.naming, "header": &k.header} {
		if *key, err = master.Derive("obsidian-mcp cache "+purpose, seal.KeySize); err != nil {
			return nil, err
		}
	}
	k.aead, err = seal.AEAD(sealing)
	return k, err
}

// name returns the key of a document's revision. A revision contains no zero byte, so no two pairs have the same input.
func (k *keys) name(id, rev string) recordKey {
	return recordKey(seal.MAC(k.naming, []byte(id), []byte{0}, []byte(rev)))
}
