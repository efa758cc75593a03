package system

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// Spelling returns a path as its folders list it: on a disk that ignores case, as most of macOS and Windows, a folder has
// many names, and only one of them should identify it.
func Spelling(path string) string { return spelling(path, SameFile, listed) }

func spelling(path string, same func(a, b string) bool, list func(dir string) []string) string {
	dir, name := filepath.Split(path)
	dir = filepath.Clean(dir)
	if name == "" || dir == path {
		return path
	}
	if !same(path, filepath.Join(dir, otherCase(name))) {
		return filepath.Join(spelling(dir, same, list), name) // case matters, or there is none
	}
	dir = spelling(dir, same, list)
	found := name
	for _, entry := range list(dir) {
		if entry == name {
			return filepath.Join(dir, name)
		}
		if same(path, filepath.Join(dir, entry)) {
			found = entry
		}
	}
	return filepath.Join(dir, found)
}

// otherCase swaps capital and small letters.
func otherCase(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, name)
}

func listed(dir string) []string {
	folder, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	return names
}
