package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"obsidian-mcp/internal/system"
)

// backUp copies a file to a new name beside it. The copy appears complete or not at all.
func backUp(from source, now time.Time) (string, error) {
	copied, err := prepare(from, from.text)
	if err != nil {
		return "", err
	}
	defer os.Remove(copied)
	stem := from.file + ".obsidian-mcp-backup-" + now.Format("20060102-150405")
	for n := 1; ; n++ {
		name := stem
		if n > 1 {
			name = fmt.Sprintf("%s-%d", stem, n)
		}
		if err := moveBeside(copied, name); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// moveBeside renames a file without replacing an existing one. On drives without hard links it checks first.
func moveBeside(file, name string) error {
	if err := os.Link(file, name); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(name); err == nil {
		return fs.ErrExist
	}
	return system.Rename(file, name)
}

// leftover matches a temporary file that a killed run left behind. It may contain secrets from the configuration.
var leftover = regexp.MustCompile(`^\.obsidian-mcp-install-\d+\.tmp$`)

// leftoverAge is the age from which such a file cannot be in use: it is created after all questions are answered.
const leftoverAge = time.Minute

// clearLeftovers removes the temporary files of killed runs from a folder.
func clearLeftovers(folder string) {
	entries, _ := os.ReadDir(folder)
	for _, file := range entries {
		info, err := file.Info()
		if err != nil || !leftover.MatchString(file.Name()) || !info.Mode().IsRegular() {
			continue
		}
		if time.Since(info.ModTime()) > leftoverAge {
			_ = os.Remove(filepath.Join(folder, file.Name()))
		}
	}
}
