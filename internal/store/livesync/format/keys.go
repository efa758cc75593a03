package format

import (
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/sha256"
	"sync"
	"unicode/utf16"
)

const (
	hkdfIterations = 310000
	v1Iterations   = 100000
	keySize        = 32
	// keysKept bounds the memory that a database with ever new salts can use.
	keysKept = 1 << 14
)

// KeyDeriver derives a key from a password, which is slow by design. DeriveKey is the default; tests remember its results.
type KeyDeriver func(password, salt string, iterations int) ([]byte, error)

// DeriveKey derives a key with PBKDF2 and SHA-256, as the plugin does.
func DeriveKey(password, salt string, iterations int) ([]byte, error) {
	return pbkdf2.Key(sha256.New, password, []byte(salt), iterations, keySize)
}

// keyring derives each key once. It is safe for concurrent use; callers that want the same key wait for one derivation.
type keyring struct {
	pass      Passphrase
	deriveKey KeyDeriver // nil for DeriveKey

	mu   sync.Mutex // guards kept
	kept map[keyName]*keyEntry
}

// keyName identifies a key. V1 derives from a hash of the passphrase, so its key differs even with the same salt.
type keyName struct {
	hashed     bool
	salt       string
	iterations int
}

type keyEntry struct {
	once sync.Once
	key  []byte
	err  error
}

func (k *keyring) get(name keyName) ([]byte, error) {
	entry := k.entry(name)
	entry.once.Do(func() { entry.key, entry.err = k.derive(name) })
	return entry.key, entry.err
}

func (k *keyring) entry(name keyName) *keyEntry {
	k.mu.Lock()
	defer k.mu.Unlock()
	if entry, ok := k.kept[name]; ok {
		return entry
	}
	if k.kept == nil {
		k.kept = map[keyName]*keyEntry{}
	}
	for other := range k.kept {
		if len(k.kept) < keysKept {
			break
		}
		delete(k.kept, other) // any key will do: it can be derived again
	}
	entry := &keyEntry{}
	k.kept[name] = entry
	return entry
}

func (k *keyring) derive(name keyName) ([]byte, error) {
	password := string(k.pass)
	if name.hashed {
		sum := sha256.Sum256([]byte(password))
		password = string(sum[:])
	}
	if k.deriveKey != nil {
		return k.deriveKey(password, name.salt, name.iterations)
	}
	return DeriveKey(password, name.salt, name.iterations)
}

// message returns the key of the current form for one message.
func (k *keyring) message(salt, hkdfSalt []byte) ([]byte, error) {
	master, err := k.get(keyName{salt: string(salt), iterations: hkdfIterations})
	if err != nil {
		return nil, err
	}
	return hkdf.Key(sha256.New, master, hkdfSalt, "", keySize)
}

// beta returns the only key of the form "%~", whose salt is made from the passphrase.
func (k *keyring) beta() ([]byte, error) {
	sum := sha256.Sum256([]byte(string(k.pass) + "fancySyncForYou!"))
	return k.get(keyName{salt: string(sum[:v1SaltSize]), iterations: v1Iterations})
}

// dynamicIterations returns the iteration count for a passphrase: the shorter, the more.
func dynamicIterations(pass Passphrase) int {
	missing := 15 - len(utf16.Encode([]rune(string(pass))))
	return max(missing, 0)*1000 + 121 - missing
}
