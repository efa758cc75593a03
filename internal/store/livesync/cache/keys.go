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
	iterations = 310_000 // as many as LiveSync itself takes for the passphrase
	saltSize   = 16
	keySize    = 32
)

// recordKey stands for a document's id and revision. Without the secret it
// cannot be told whose it is.
type recordKey [16]byte

// keys are what a secret and a salt make.
type keys struct {
	salt   []byte
	naming []byte // of HMAC, for ids and revisions
	header []byte // of HMAC, for the header
	// aead takes a random nonce of 96 bits for each record. Up to 2^32 records
	// of one key, the chance that two nonces are the same is below 2^-32. A
	// record is sealed once for a revision and copied as it is ever after: a
	// vault with ten edits a second would take 13 years for that many. Counting
	// instead would not do, since several processes have the same key.
	aead cipher.AEAD
}

// deriver makes the keys for a salt.
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

// name is the key of a document's revision. A revision has no zero byte, so
// that no two pairs are written alike.
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
