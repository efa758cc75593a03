package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system"
)

// expandHome does what a shell does with ~/, since most settings never pass through one.
func expandHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, rest)
}

func defaultStateDir(source Source) (string, error) {
	state := source.absolute("XDG_STATE_HOME")
	home := homeFolder()
	switch {
	case state != "":
	case os.PathSeparator == '\\':
		state, _ = os.UserConfigDir()
	case home != "":
		state = filepath.Join(home, ".local", "state")
	}
	if state == "" {
		return homelessStateDir()
	}
	return filepath.Join(state, "obsidian-mcp"), nil
}

func defaultCacheDir(source Source) (string, error) {
	cache := source.absolute("XDG_CACHE_HOME")
	if cache == "" {
		cache, _ = os.UserCacheDir()
	}
	if cache == "" {
		return "off", nil
	}
	return filepath.Join(cache, "obsidian-mcp"), nil
}

// absolute returns the path in a variable. A relative path is ignored, as the XDG specification demands.
func (s Source) absolute(variable string) string {
	path, _ := s.Lookup(variable)
	if !filepath.IsAbs(path) {
		return ""
	}
	return path
}

// homeFolder returns the user's home folder, or "" for a user without one, such as a service account.
func homeFolder() string {
	home, _ := os.UserHomeDir()
	if info, err := os.Stat(home); err == nil && !info.IsDir() || !filepath.IsAbs(home) {
		return ""
	}
	return home
}

// homelessStateDir returns the state folder of a user without a home: in the folder for temporary files. All users share
// that, so the state folder must be private: the history contains text of notes.
func homelessStateDir() (string, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("obsidian-mcp-%d", os.Geteuid()))
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err == nil && !system.IsPrivate(dir) {
		err = fmt.Errorf("%s is not private to this user", dir)
	}
	if err != nil {
		return "", fault.InvalidArgument.
			Errorf("OBSIDIAN_MCP_STATE_DIR: it is not set, there is no home folder, and %w", err).
			WithHint("set HOME, or OBSIDIAN_MCP_STATE_DIR to a folder that nobody else can write to")
	}
	return dir, nil
}
