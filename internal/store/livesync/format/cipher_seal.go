package format

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"io"
	"slices"
)

// Seal encrypts a text in the current form.
func (c *Cipher) Seal(text string) (string, error) {
	if len(c.salt) == 0 {
		return "", missingSalt()
	}
	sealed, err := c.sealHKDF(c.salt, nil, text)
	return "%=" + base64.StdEncoding.EncodeToString(sealed), err
}

// SealSettings encrypts a text with a salt of its own, so that no database is needed to decrypt it. Devices read it in
// links and settings, but not in documents.
func (c *Cipher) SealSettings(text string) (string, error) {
	salt := make([]byte, saltSize)
	if _, err := io.ReadFull(c.random, salt); err != nil {
		return "", err
	}
	sealed, err := c.sealHKDF(salt, salt, text)
	return "%$" + base64.StdEncoding.EncodeToString(sealed), err
}

// sealHKDF appends the nonce, the message's salt and the ciphertext to before.
func (c *Cipher) sealHKDF(salt, before []byte, text string) ([]byte, error) {
	fresh := make([]byte, hkdfNonceSize+saltSize)
	if _, err := io.ReadFull(c.random, fresh); err != nil {
		return nil, err
	}
	nonce, hkdfSalt := fresh[:hkdfNonceSize], fresh[hkdfNonceSize:]
	key, err := c.keys.message(salt, hkdfSalt)
	if err != nil {
		return nil, err
	}
	return seal(key, nonce, slices.Concat(before, fresh), text)
}

// SealV1 encrypts a text in the form that releases before 0.25 use. All texts of a Cipher share one salt; with a
// salt each, readers would have to derive a key for every text.
func (c *Cipher) SealV1(text string) (string, error) {
	salt, nonce, err := c.nextV1()
	if err != nil {
		return "", err
	}
	return c.sealV1(text, salt, nonce)
}

// SealPathV1 encrypts a path deterministically.
func (c *Cipher) SealPathV1(path string) (string, error) {
	sum := sha256.Sum256([]byte(path + string(c.keys.pass)))
	return c.sealV1(path, sum[:v1SaltSize], sum[v1SaltSize:])
}

func (c *Cipher) nextV1() (salt, nonce []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.v1Salt == nil {
		fresh := make([]byte, v1SaltSize)
		if _, err := io.ReadFull(c.random, fresh); err != nil {
			return nil, nil, err
		}
		c.v1Salt = fresh
	}
	nonce = make([]byte, v1NonceSize)
	if _, err := io.ReadFull(c.random, nonce[:v1NonceSize-4]); err != nil {
		return nil, nil, err
	}
	c.written++
	binary.LittleEndian.PutUint32(nonce[v1NonceSize-4:], c.written)
	return c.v1Salt, nonce, nil
}

func (c *Cipher) sealV1(text string, salt, nonce []byte) (string, error) {
	key, err := c.keys.get(keyName{hashed: true, salt: string(salt), iterations: c.iterations()[0]})
	if err != nil {
		return "", err
	}
	body, err := seal(key, nonce, nil, text)
	return "%" + hex.EncodeToString(nonce) + hex.EncodeToString(salt) + base64.StdEncoding.EncodeToString(body), err
}

func seal(key, nonce, before []byte, text string) ([]byte, error) {
	sealer, err := gcm(key, len(nonce))
	if err != nil {
		return nil, err
	}
	return sealer.Seal(before, nonce, []byte(text), nil), nil
}
