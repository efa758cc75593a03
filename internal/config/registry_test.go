package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"obsidian-mcp/internal/config"
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
			if likely, ok := registry.Likely(); !ok || likely.Name != "Notes" {
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
}
