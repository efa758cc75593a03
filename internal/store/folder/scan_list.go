//go:build !linux

package folder

import "os"

// listed lists an open folder.
func listed(folder *os.File) ([]dirEntry, error) {
	found, err := folder.ReadDir(-1)
	entries := make([]dirEntry, len(found))
	for i, item := range found {
		entries[i] = dirEntry{item.Name(), item.Type()}
	}
	return entries, err
}
