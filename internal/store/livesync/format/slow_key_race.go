//go:build race

package format

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"slices"
	"sync"
)

// slowKey makes a key of a password. The race detector looks at each step of
// it and makes it ten times as slow, so that tests, whose databases have the same
// few passwords and salts, wait for each key once.
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
