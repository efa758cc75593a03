package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// keep copies a file to a name of its own beside it, where it appears as a whole
// or not at all.
func keep(from source, now time.Time) (string, error) {
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

// moveBeside gives a file another name that nothing has yet. Some drives know no
// links; there one looks first.
func moveBeside(file, name string) error {
	if err := os.Link(file, name); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := os.Lstat(name); err == nil {
		return fs.ErrExist
	}
	return os.Rename(file, name)
}

// leftover is a file that a run which was killed could not remove. It may hold
// secrets of the configuration.
var leftover = regexp.MustCompile(`^\.obsidian-mcp-install-\d+\.tmp$`)

// leftoverAge is when such a file cannot be in use any more: one is made once
// nobody is waited for.
const leftoverAge = time.Minute

// clearLeftovers removes what earlier runs have left in a folder.
func clearLeftovers(folder string) {
	entries, _ := os.ReadDir(folder)
	for _, one := range entries {
		info, err := one.Info()
		if err == nil && leftover.MatchString(one.Name()) && info.Mode().IsRegular() && time.Since(info.ModTime()) > leftoverAge {
			_ = os.Remove(filepath.Join(folder, one.Name()))
		}
	}
}
