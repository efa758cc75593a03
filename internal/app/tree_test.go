package app

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// treeOf hashes every file below a folder.
func treeOf(t *testing.T, base string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(base, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, _ := filepath.Rel(base, name)
		tree[relative] = entry.Type().String()
		if entry.Type().IsRegular() {
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			tree[relative] = fmt.Sprintf("%x", sha256.Sum256(content))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// changedFiles lists what differs between two trees; new folders do not count.
func changedFiles(before, after map[string]string) []string {
	var changed []string
	for name := range maps.Keys(after) {
		if before[name] != after[name] && after[name] != fs.ModeDir.String() {
			changed = append(changed, name)
		}
	}
	for name := range before {
		if _, still := after[name]; !still {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}
