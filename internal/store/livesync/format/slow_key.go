//go:build !race

package format

import (
	"crypto/pbkdf2"
	"crypto/sha256"
)

// slowKey derives a key from a password; slow by design.
func slowKey(password, salt string, iterations int) ([]byte, error) {
	return pbkdf2.Key(sha256.New, password, []byte(salt), iterations, keySize)
}
