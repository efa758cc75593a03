package vault

import "time"

// SetQuietFor makes the index be consolidated sooner, until it is called with
// what it gave back.
func SetQuietFor(quiet time.Duration) (before time.Duration) {
	before, quietFor = quietFor, quiet
	return before
}
