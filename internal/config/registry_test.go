package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

// TestRegistryPlaces finds Obsidian's list where each system keeps it.
func TestRegistryPlaces(t *testing.T) {
	for name, place := range map[string]struct {
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
			file := filepath.Join(home, filepath.FromSlash(place.file))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			list := `{"vaults":{"1":{"path":"C:\\Users\\me\\Notes","ts":1,"open":true},"2":{"path":"/home/me/Work"},"3":{"path":"/srv/Work"}},"other":1}`
			if err := os.WriteFile(file, []byte(list), 0o644); err != nil {
				t.Fatal(err)
			}
			registry := config.Registry{Home: home, System: place.system, Lookup: func(variable string) (string, bool) {
				if value, ok := place.variables[variable]; ok {
					return filepath.Join(home, value), true
				}
				return "", false
			}}
			if found, err := registry.Find("Notes"); err != nil || found != `C:\Users\me\Notes` {
				t.Errorf("%q, %v", found, err)
			}
			if _, err := registry.Find("Work"); err == nil {
				t.Error("two vaults have the name")
			}
			if _, err := registry.Find("None"); err == nil {
				t.Error("no vault has the name")
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

func TestDamagedRegistryIsNone(t *testing.T) {
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
		t.Errorf("it is not named: %v", err)
	}
	if err := os.Remove(file); err != nil || registry.Damaged() != "" {
		t.Errorf("what is not there is damaged: %v", err)
	}
}

// TestNamesOfVaults: a backslash parts names on Windows alone.
func TestNamesOfVaults(t *testing.T) {
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
