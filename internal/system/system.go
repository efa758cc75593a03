// Package system is what systems do differently about files that several
// processes share: locks, and names that survive a power cut.
package system

import "os"

// SyncFolder makes the names in a folder durable.
func SyncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	defer folder.Close()
	return SyncNames(folder)
}
