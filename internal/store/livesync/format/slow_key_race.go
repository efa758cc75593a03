//go:build race

package format

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"slices"
	"sync"
)

// slowKey derives a key from a password. The race detector makes that ten times slower. Since test databases share a
// few passwords and salts, builds with the race detector derive each key once per process.
func slowKey(password, salt string, iterations int) ([]byte, error) {
	type name struct {
		password, salt string
		iterations     int
	}
	wanted := name{password, salt, iterations}
	if kept, ok := slowKeys.Load(wanted); ok {
		return slices.Clone(kept.([]byte)), nil
	}
	key, err := pbkdf2.Key(sha256.New, password, []byte(salt), iterations, keySize)
	if err == nil {
		slowKeys.Store(wanted, slices.Clone(key))
	}
	return key, err
}

var slowKeys sync.Map
