package format

import (
	"crypto/hkdf"
	"crypto/sha256"
	"sync"
	"unicode/utf16"
)

const (
	hkdfIterations = 310000
	v1Iterations   = 100000
	keySize        = 32
	// keysKept bounds what a database with ever new salts can make us hold.
	keysKept = 1 << 14
)

// keyring derives keys, each of them once: that is slow by design. It is safe
// for concurrent use; those who want the same key wait for one derivation.
type keyring struct {
	pass Passphrase

	mu   sync.Mutex // guards kept
	kept map[keyName]*keyEntry
}

// keyName says which key is meant. The password of V1 is a hash of the
// passphrase, so that it is another key even with the same salt.
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
		delete(k.kept, other) // any: it can be derived again
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
	return slowKey(password, name.salt, name.iterations)
}

// message is today's key for one message.
func (k *keyring) message(salt, hkdfSalt []byte) ([]byte, error) {
	master, err := k.get(keyName{salt: string(salt), iterations: hkdfIterations})
	if err != nil {
		return nil, err
	}
	return hkdf.Key(sha256.New, master, hkdfSalt, "", keySize)
}

// beta is the one key of the form "%~", whose salt is made of the passphrase.
func (k *keyring) beta() ([]byte, error) {
	sum := sha256.Sum256([]byte(string(k.pass) + "fancySyncForYou!"))
	return k.get(keyName{salt: string(sum[:v1SaltSize]), iterations: v1Iterations})
}

// dynamicIterations is the number that goes with a passphrase: the shorter,
// the more.
func dynamicIterations(pass Passphrase) int {
	missing := 15 - len(utf16.Encode([]rune(string(pass))))
	return max(missing, 0)*1000 + 121 - missing
}
