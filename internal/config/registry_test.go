package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

func TestRegistryIsFoundOnEverySystem(t *testing.T) {
	for name, test := range map[string]struct {
		system, file string
		variables    map[string]string
	}{
		"Linux":            {"linux", ".config/obsidian/obsidian.json", nil},
		"Linux, XDG":       {"linux", "xdg/obsidian/obsidian.json", map[string]string{"XDG_CONFIG_HOME": "xdg"}},
		"Flatpak":          {"linux", ".var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json", nil},
		"Snap":             {"linux", "snap/obsidian/current/.config/obsidian/obsidian.json", nil},
		"Snap, common":     {"linux", "snap/obsidian/common/.config/obsidian/obsidian.json", nil},
		"macOS":            {"darwin", "Library/Application Support/obsidian/obsidian.json", nil},
		"Windows":          {"windows", "roaming/obsidian/obsidian.json", map[string]string{"APPDATA": "roaming"}},
		"FreeBSD as Linux": {"freebsd", ".config/obsidian/obsidian.json", nil},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			file := filepath.Join(home, filepath.FromSlash(test.file))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			list := `{"vaults":{"1":{"path":"C:\\Users\\me\\Notes","ts":1,"open":true},"2":{"path":"/home/me/Work"},"3":{"path":"/srv/Work"}},"other":1}`
			if err := os.WriteFile(file, []byte(list), 0o644); err != nil {
				t.Fatal(err)
			}
			registry := config.Registry{Home: home, System: test.system, Lookup: func(variable string) (string, bool) {
				if value, ok := test.variables[variable]; ok {
					return filepath.Join(home, value), true
				}
				return "", false
			}}
			if found, err := registry.Find("Notes"); err != nil || found != `C:\Users\me\Notes` {
				t.Errorf("%q, %v", found, err)
			}
			if _, err := registry.Find("Work"); err == nil {
				t.Error("a name that two vaults have was accepted")
			}
			if _, err := registry.Find("None"); err == nil {
				t.Error("a name that no vault has was accepted")
			}
			for _, path := range []string{"/home/me/Work", "./Work", `C:\Users\me\Notes`} {
				if _, err := registry.Find(path); err == nil || !strings.Contains(fault.HintOf(err), "--vault-path") {
					t.Errorf("%s: %v", path, err)
				}
			}
			if likely, ok := config.Likely(registry.Vaults()); !ok || likely.Name != "Notes" {
				t.Errorf("%+v, %v", likely, ok)
			}
		})
	}
}

func TestDamagedRegistryIsReported(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, ".config", "obsidian", "obsidian.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"vaults":[`), 0o644); err != nil {
		t.Fatal(err)
	}
	registry := config.Registry{Home: home, System: "linux", Lookup: func(string) (string, bool) { return "", false }}
	if vaults := registry.Vaults(); len(vaults) != 0 {
		t.Errorf("%v", vaults)
	}
	if _, err := registry.Find("Notes"); registry.Damaged() != file || err == nil || !strings.Contains(err.Error(), file+", cannot be read") {
		t.Errorf("the damaged file is not named: %v", err)
	}
	if err := os.Remove(file); err != nil || registry.Damaged() != "" {
		t.Errorf("a missing file counts as damaged: %v", err)
	}
}

// A backslash separates folders only in Windows paths.
func TestVaultNames(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, ".config", "obsidian", "obsidian.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	list := `{"vaults":{"1":{"path":"C:\\Users\\me\\Notes"},"2":{"path":"/v/a \\ b"},"3":{"path":"\\\\server\\share\\Far"}}}`
	if err := os.WriteFile(file, []byte(list), 0o644); err != nil {
		t.Fatal(err)
	}
	registry := config.Registry{Home: home, System: "linux", Lookup: func(string) (string, bool) { return "", false }}
	var names []string
	for _, vault := range registry.Vaults() {
		names = append(names, vault.Name)
	}
	if got := strings.Join(names, "|"); got != `Far|Notes|a \ b` {
		t.Error(got)
	}
}
