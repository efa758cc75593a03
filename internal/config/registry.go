package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/order"
)

// Registered is a vault that Obsidian knows on this machine.
type Registered struct {
	ID   string
	Name string
	Path string
	Open bool // its window was open when Obsidian last saved
}

// Registry reads Obsidian's own list of vaults. It never writes it.
type Registry struct {
	Home   string
	Lookup func(variable string) (string, bool)
	System string // runtime.GOOS
}

// UserRegistry returns the registry of the user who runs the program.
func UserRegistry() Registry {
	home, _ := os.UserHomeDir()
	return Registry{Home: home, Lookup: os.LookupEnv, System: runtime.GOOS}
}

// files returns the paths where Obsidian may keep its list.
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

// Vaults returns the registered vaults, sorted by name. A list that cannot be read
// counts as empty.
func (r Registry) Vaults() []Registered {
	all, _ := r.read()
	return all
}

// Damaged returns the first of Obsidian's lists that exists but cannot be read; "" if
// all can be read.
func (r Registry) Damaged() string {
	_, damaged := r.read()
	return damaged
}

func (r Registry) read() (all []Registered, damaged string) {
	for _, file := range r.files() {
		vaults, err := readRegistry(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			damaged = cmp.Or(damaged, file)
		}
		for _, vault := range vaults {
			if vault.Path == "" || slices.ContainsFunc(all, func(other Registered) bool { return other.Path == vault.Path }) {
				continue
			}
			vault.Name = r.nameOf(vault.Path)
			all = append(all, vault)
		}
	}
	order.By(all, func(a, b Registered) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path))
	})
	return all, damaged
}

// readRegistry reads one list.
func readRegistry(file string) ([]Registered, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe would block
		return nil, errors.New("it is not a regular file")
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list struct {
		Vaults map[string]struct {
			Path string `json:"path"`
			Open bool   `json:"open"`
		} `json:"vaults"`
	}
	if err := json.Unmarshal(content, &list); err != nil {
		return nil, err
	}
	var all []Registered
	for id, vault := range list.Vaults {
		all = append(all, Registered{ID: id, Path: vault.Path, Open: vault.Open})
	}
	return all, nil
}

// windowsPath matches a Windows path, which WSL shows to Linux.
var windowsPath = regexp.MustCompile(`^([A-Za-z]:)?\\`)

// nameOf returns the name of a vault: the last part of its path. A backslash separates
// parts only on Windows.
func (r Registry) nameOf(path string) string {
	if r.System == "windows" || windowsPath.MatchString(path) {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	return path[strings.LastIndexByte(path, '/')+1:]
}

// Find returns the folder of the vault with a name.
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
		return "", fault.VaultNotFound.
			Errorf("Obsidian knows several vaults called '%s': %s", name, strings.Join(paths, ", ")).
			WithHint("set OBSIDIAN_VAULT_PATH to one of them")
	case r.nameOf(name) != name:
		return "", fault.VaultNotFound.Errorf("'%s' is a path, but this setting takes a vault's name in Obsidian", name).
			WithHint("set OBSIDIAN_VAULT_PATH (--vault-path) to the vault's folder")
	case len(names) == 0 && r.Damaged() != "":
		return "", fault.VaultNotFound.Errorf("Obsidian's list of vaults, %s, cannot be read", r.Damaged()).
			WithHint("set OBSIDIAN_VAULT_PATH to the vault's folder")
	case len(names) == 0:
		return "", fault.VaultNotFound.
			Errorf("Obsidian knows no vault called '%s' on this machine: it has no list of vaults here", name).
			WithHint("set OBSIDIAN_VAULT_PATH to the vault's folder")
	}
	return "", fault.VaultNotFound.Errorf("Obsidian knows no vault called '%s' on this machine", name).
		WithHint("it knows %s", strings.Join(names, ", "))
}

// Likely returns the only vault of a list, or the only one that is open.
func Likely(all []Registered) (Registered, bool) {
	if len(all) == 1 {
		return all[0], true
	}
	open := slices.DeleteFunc(slices.Clone(all), func(vault Registered) bool { return !vault.Open })
	if len(open) == 1 {
		return open[0], true
	}
	return Registered{}, false
}
