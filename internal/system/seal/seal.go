// Package seal derives keys from a person's secret and encrypts with them, for
// files outside of the vault that hold its content.
//
// A secret is stretched once per salt, which is slow by design; keys for single
// purposes are then derived from the result, which is fast. What the keys are
// used for, and where the salt is stored, is left to the callers.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
)

const (
	Iterations = 310_000 // as many as LiveSync uses for the passphrase
	KeySize    = 32
)

// Master is a stretched secret.
type Master []byte

// Stretch derives a master key from a secret. Outside of tests, iterations is Iterations.
func Stretch(secret string, salt []byte, iterations int) (Master, error) {
	return pbkdf2.Key(sha256.New, secret, salt, iterations, KeySize)
}

// Derive returns size bytes of key for a purpose. Keys for different purposes are independent of each other.
func (m Master) Derive(purpose string, size int) ([]byte, error) {
	return hkdf.Expand(sha256.New, m, purpose, size)
}

// AEAD returns AES-GCM that puts a random 96-bit nonce before each ciphertext. A key is safe for up to 2^32 messages.
func AEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// MAC returns the HMAC-SHA-256 of the concatenated parts.
func MAC(key []byte, parts ...[]byte) []byte {
	hash := hmac.New(sha256.New, key)
	for _, part := range parts {
		hash.Write(part)
	}
	return hash.Sum(nil)
}
