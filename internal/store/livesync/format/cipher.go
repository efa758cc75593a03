package format

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"io"
	"sync"
	"unicode/utf8"

	"obsidian-mcp/internal/fault"
)

// Cipher decrypts every form of encrypted text, and encrypts in the forms that devices read. It is safe for
// concurrent use. Use NewCipher.
type Cipher struct {
	keys    *keyring
	salt    []byte
	dynamic bool
	random  io.Reader

	mu      sync.Mutex // guards the fields below
	v1Salt  []byte     // shared by every V1 text that this Cipher writes
	written uint32     // V1 texts so far; part of the nonce
}

// CipherOptions are what a Cipher is made of.
type CipherOptions struct {
	Passphrase        Passphrase
	Salt              []byte    // the database's salt; not needed for V1
	DynamicIterations bool      // the database's setting, for V1
	Random            io.Reader // default crypto/rand
	DeriveKey         KeyDeriver
}

// NewCipher makes a Cipher. Keys are derived when they are first needed.
func NewCipher(options CipherOptions) *Cipher {
	c := &Cipher{
		keys:    &keyring{pass: options.Passphrase, deriveKey: options.DeriveKey},
		salt:    options.Salt,
		dynamic: options.DynamicIterations,
		random:  options.Random,
	}
	if c.random == nil {
		c.random = rand.Reader
	}
	return c
}

// Open decrypts a text of any form. It needs a passphrase.
func (c *Cipher) Open(text string) (string, error) {
	sealed, complete := parseEnvelope(text)
	if !complete {
		return "", incomplete()
	}
	return c.open(sealed)
}

func incomplete() error {
	return damaged("an encrypted text is incomplete or in an unknown form")
}

// iterations lists the iteration counts to try for V1, the database's current one first: the setting may have
// changed after a text was written.
func (c *Cipher) iterations() []int {
	if c.dynamic {
		return []int{dynamicIterations(c.keys.pass), v1Iterations}
	}
	return []int{v1Iterations, dynamicIterations(c.keys.pass)}
}

func (c *Cipher) open(sealed envelope) (string, error) {
	if c.keys.pass == "" {
		return "", fault.PermissionDenied.Errorf("the document is encrypted, and no passphrase is set")
	}
	switch sealed.form {
	case formHKDF, formEphemeral:
		return c.openHKDF(sealed)
	case formBeta:
		key, err := c.keys.beta()
		if err != nil {
			return "", err
		}
		return unseal(key, sealed)
	}
	text, _, err := c.openV1(sealed)
	return text, err
}

func (c *Cipher) openHKDF(sealed envelope) (string, error) {
	salt := sealed.salt
	if sealed.form == formHKDF {
		if salt = c.salt; len(salt) == 0 {
			return "", missingSalt()
		}
	}
	key, err := c.keys.message(salt, sealed.hkdfSalt)
	if err != nil {
		return "", err
	}
	return unseal(key, sealed)
}

// openV1 also returns the iteration count that worked.
func (c *Cipher) openV1(sealed envelope) (text string, iterations int, err error) {
	for _, iterations = range c.iterations() {
		var key []byte
		key, err = c.keys.get(keyName{hashed: true, salt: string(sealed.salt), iterations: iterations})
		if err != nil {
			return "", 0, err
		}
		attempt := sealed
		attempt.body = bytes.Clone(sealed.body)
		if text, err = unseal(key, attempt); err == nil {
			break
		}
	}
	if err == nil && sealed.form == formJSON {
		text, err = jsonText(text)
	}
	return text, iterations, err
}

// jsonText decodes the JSON string that the oldest form encrypts.
func jsonText(literal string) (text string, err error) {
	if json.Unmarshal([]byte(literal), &text) != nil {
		return "", damaged("an encrypted text of the oldest form does not hold a JSON string")
	}
	return text, nil
}

func missingSalt() error {
	return fault.StoreUnavailable.Errorf("the database has no salt for its encryption (%s)", SyncParametersID).
		WithHint("synchronise a device with the database first")
}

// unseal decrypts a text in place, overwriting sealed.body.
func unseal(key []byte, sealed envelope) (string, error) {
	opener, err := gcm(key, len(sealed.nonce))
	if err != nil {
		return "", err
	}
	plain, err := opener.Open(sealed.body[:0], sealed.nonce, sealed.body, nil)
	if err != nil {
		return "", fault.PermissionDenied.Errorf("the passphrase does not decrypt the document").
			WithHint("set the passphrase that the devices use; if other notes can be read, this document is damaged")
	}
	if !utf8.Valid(plain) {
		return "", damaged("an encrypted text is not UTF-8")
	}
	return string(plain), nil
}

func gcm(key []byte, nonceSize int) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithNonceSize(block, nonceSize)
}
