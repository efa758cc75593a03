// Package formattest makes tests of encrypted LiveSync databases fast: they use the same few passwords and salts, and
// this package derives each key once per process.
package formattest

import (
	"slices"
	"sync"

	"obsidian-mcp/internal/store/livesync/format"
)

type keyName struct {
	password, salt string
	iterations     int
}

type keyEntry struct {
	once sync.Once
	key  []byte
	err  error
}

var keys sync.Map // of keyName to *keyEntry

// DeriveKey is a format.KeyDeriver that returns the results of format.DeriveKey and remembers them.
func DeriveKey(password, salt string, iterations int) ([]byte, error) {
	found, _ := keys.LoadOrStore(keyName{password, salt, iterations}, &keyEntry{})
	entry := found.(*keyEntry)
	entry.once.Do(func() { entry.key, entry.err = format.DeriveKey(password, salt, iterations) })
	return slices.Clone(entry.key), entry.err
}
