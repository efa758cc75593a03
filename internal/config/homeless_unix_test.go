//go:build unix

package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

// For a user without a home, state goes to a private folder among the temporary files, and never to one that another user
// could have prepared.
func TestStateDirWithoutHome(t *testing.T) {
	shared := t.TempDir()
	t.Setenv("TMPDIR", shared)
	t.Setenv("HOME", "")
	load := func() (string, error) {
		settings, err := config.Load(config.Source{Lookup: func(string) (string, bool) { return "", false }})
		return settings.StateDir, err
	}
	dir, err := load()
	if err != nil || filepath.Dir(dir) != shared {
		t.Fatalf("%q: %v", dir, err)
	}
	for _, home := range []string{"relative", "/dev/null"} {
		t.Setenv("HOME", home)
		if got, err := load(); err != nil || got != dir {
			t.Errorf("the home %s: %q: %v", home, got, err)
		}
	}
	t.Setenv("HOME", "")
	settings, err := config.Load(config.Source{Lookup: func(name string) (string, bool) {
		return "relative", strings.HasPrefix(name, "XDG_")
	}})
	if err != nil || settings.StateDir != dir || filepath.IsAbs(settings.CacheDir) {
		t.Errorf("relative folders: %q and %q: %v", settings.StateDir, settings.CacheDir, err)
	}
	if again, err := load(); err != nil || again != dir {
		t.Errorf("the second time: %q: %v", again, err)
	}
	for how, prepare := range map[string]func() error{
		"open to others": func() error { return os.Chmod(dir, 0o777) },
		"readable":       func() error { return os.Chmod(dir, 0o750) },
		"a link": func() error {
			if err := os.Remove(dir); err != nil {
				return err
			}
			return os.Symlink(t.TempDir(), dir)
		},
	} {
		if err := prepare(); err != nil {
			t.Fatal(err)
		}
		if got, err := load(); fault.KindOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "OBSIDIAN_MCP_STATE_DIR") {
			t.Errorf("%s: %q: %v", how, got, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(dir, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		if got, err := load(); err == nil {
			t.Errorf("another user's: %q", got)
		}
	}
}
