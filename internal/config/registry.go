package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
)

// Registered is a vault that Obsidian knows on this machine.
type Registered struct {
	Name string
	Path string
	Open bool // its window was open when Obsidian last saved
}

// Registry finds the vaults in Obsidian's own list. It is never written.
type Registry struct {
	Home   string
	Lookup func(variable string) (string, bool)
	System string // runtime.GOOS
}

// UserRegistry is the registry of the user who runs the program.
func UserRegistry() Registry {
	home, _ := os.UserHomeDir()
	return Registry{Home: home, Lookup: os.LookupEnv, System: runtime.GOOS}
}

// files are the places where Obsidian keeps its list.
func (r Registry) files() []string {
	const name = "obsidian.json"
	join := func(parts ...string) string { return filepath.Join(append(parts, "obsidian", name)...) }
	switch r.System {
	case "darwin":
		return []string{join(r.Home, "Library", "Application Support")}
	case "windows":
		appData, _ := r.Lookup("APPDATA")
		return []string{join(appData)}
	}
	configHome, _ := r.Lookup("XDG_CONFIG_HOME")
	if configHome == "" {
		configHome = filepath.Join(r.Home, ".config")
	}
	files := []string{
		join(configHome),
		join(r.Home, ".var", "app", "md.obsidian.Obsidian", "config"),
		join(r.Home, "snap", "obsidian", "current", ".config"),
		join(r.Home, "snap", "obsidian", "common", ".config"),
	}
	if _, wsl := r.Lookup("WSL_DISTRO_NAME"); wsl {
		shared, _ := filepath.Glob("/mnt/c/Users/*/AppData/Roaming/obsidian/" + name)
		files = append(files, shared...)
	}
	return files
}

// Vaults lists the registered vaults by name. A list that cannot be read is
// none.
func (r Registry) Vaults() []Registered {
	var all []Registered
	for _, file := range r.files() {
		content, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		var list struct {
			Vaults map[string]struct {
				Path string `json:"path"`
				Open bool   `json:"open"`
			} `json:"vaults"`
		}
		if json.Unmarshal(content, &list) != nil {
			continue
		}
		for _, vault := range list.Vaults {
			path := strings.ReplaceAll(vault.Path, `\`, "/")
			if vault.Path == "" || slices.ContainsFunc(all, func(known Registered) bool { return known.Path == vault.Path }) {
				continue
			}
			all = append(all, Registered{Name: path[strings.LastIndexByte(path, '/')+1:], Path: vault.Path, Open: vault.Open})
		}
	}
	slices.SortFunc(all, func(a, b Registered) int { return strings.Compare(a.Name+"\x00"+a.Path, b.Name+"\x00"+b.Path) })
	return all
}

// Find is the folder of the vault of a name.
func (r Registry) Find(name string) (string, error) {
	var paths, names []string
	for _, vault := range r.Vaults() {
		names = append(names, vault.Name)
		if vault.Name == name {
			paths = append(paths, vault.Path)
		}
	}
	switch {
	case len(paths) == 1:
		return paths[0], nil
	case len(paths) > 1:
		return "", fault.VaultNotFound.Errorf("Obsidian knows several vaults called '%s': %s", name, strings.Join(paths, ", ")).
			WithHint("set OBSIDIAN_VAULT_PATH to one of them")
	case len(names) == 0:
		return "", fault.VaultNotFound.Errorf("Obsidian knows no vault called '%s' on this machine: it has no registry here", name).
			WithHint("set OBSIDIAN_VAULT_PATH to the vault's folder")
	}
	return "", fault.VaultNotFound.Errorf("Obsidian knows no vault called '%s' on this machine", name).
		WithHint("it knows %s", strings.Join(names, ", "))
}

// Likely is the one vault that is registered, or the one that is open.
func (r Registry) Likely() (Registered, bool) {
	all := r.Vaults()
	if len(all) == 1 {
		return all[0], true
	}
	open := slices.DeleteFunc(all, func(vault Registered) bool { return !vault.Open })
	if len(open) == 1 {
		return open[0], true
	}
	return Registered{}, false
}
