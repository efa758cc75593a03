package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/vault"
)

// vaultFolder is the folder that the settings name.
func vaultFolder(settings config.Config) (string, error) {
	switch {
	case settings.VaultPath != "" && settings.Vault != "":
		found, err := config.UserRegistry().Find(settings.Vault)
		if err != nil || !sameFolder(found, settings.VaultPath) {
			return "", fault.InvalidArgument.Errorf("%s and %s are both set, and differ", settings.From("vault_path"), settings.From("vault")).WithHint("set one of them")
		}
		return found, nil
	case settings.VaultPath != "":
		return settings.VaultPath, nil
	case settings.Vault != "":
		found, err := config.UserRegistry().Find(settings.Vault)
		return found, settings.Blame("vault", err)
	}
	return "", fault.VaultNotFound.Errorf("OBSIDIAN_VAULT_PATH not set").WithHint("%s", proposal(config.UserRegistry()))
}

// proposal is what to do where no vault is named: take one that Obsidian knows
// and that is still there, or name one.
func proposal(registry config.Registry) string {
	const orInstall = "; obsidian-mcp install puts it into an AI client's configuration"
	ctx, stop := context.WithTimeout(context.Background(), proposalTime)
	defer stop()
	all := install.StillThere(ctx, registry.Vaults())
	if likely, ok := config.Likely(all); ok {
		path := likely.Path
		if registry.System != "windows" {
			path = clients.ShellWord(path)
		}
		return fmt.Sprintf("Obsidian knows the vault '%s': set OBSIDIAN_VAULT_PATH=%s", likely.Name, path) + orInstall
	}
	if len(all) > 0 {
		names := make([]string, len(all))
		for i, one := range all {
			names[i] = fmt.Sprintf("'%s' (%s)", one.Name, one.Path)
		}
		return "Obsidian knows the vaults " + strings.Join(names, ", ") + ": set it to one of these folders, or OBSIDIAN_VAULT to the name" + orInstall
	}
	return "set it (or --vault-path) to the vault's folder, or OBSIDIAN_VAULT (--vault) to its name in Obsidian, or COUCHDB_BASE_URL and " +
		"COUCHDB_DATABASE_NAME for a LiveSync vault" + orInstall
}

// proposalTime is how long the folders that may be proposed are waited for.
const proposalTime = time.Second

// sameFolder reports whether two paths name one folder, which need not exist if they are spelled alike.
func sameFolder(a, b string) bool {
	return filepath.Clean(a) == filepath.Clean(b) || system.SameFile(a, b)
}

// folderID is the name in URIs of a vault in a folder.
func folderID(settings config.Config, dir string) string {
	if settings.VaultID != "" {
		return settings.VaultID
	}
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	return filepath.Base(dir)
}

// realFolder is a folder's own name, whatever way leads there. Where the way
// ends, or leads to a drive that does not answer, the rest is as it is written.
func realFolder(dir string) string {
	whole, err := filepath.Abs(dir)
	if dir == "" || err != nil {
		return dir // the folder that this program was started in is gone
	}
	dir = whole
	steps := []string{dir}
	for up := filepath.Dir(dir); up != steps[0]; up = filepath.Dir(up) {
		steps = append([]string{up}, steps...)
	}
	found := make(chan string, len(steps)) // the name as far as it is known
	go func() {
		defer close(found)
		for _, step := range steps {
			real, err := filepath.EvalSymlinks(step)
			if err != nil {
				return
			}
			found <- real + string(filepath.Separator) + dir[len(step):]
		}
	}()
	timer := time.NewTimer(resolvingTime)
	defer timer.Stop()
	real := dir
	for {
		select {
		case further, more := <-found:
			if !more {
				return real
			}
			real = filepath.Clean(further)
		case <-timer.C:
			return real
		}
	}
}

// resolvingTime is how long the way to a folder is followed. A disk that sleeps
// wakes up in that time.
const resolvingTime = 3 * time.Second

// outside refuses to keep the history, the index and the audit log among the
// notes, where they would be read, also by those from whom some notes are kept,
// edited and synced with them. A hidden folder is none of the notes'.
func outside(dir string, settings config.Config) error {
	for _, setting := range config.Settings() {
		path, _ := setting.Path(settings)
		if setting.Vault == config.VaultFolder {
			continue
		}
		inside, err := filepath.Rel(dir, realPlace(path))
		if path == "" || err != nil || !filepath.IsLocal(inside) || strings.HasPrefix(inside, ".") && inside != "." {
			continue
		}
		return fault.InvalidArgument.Errorf("%s is inside of the vault", settings.From(setting.Name)).WithHint("choose a place outside of it")
	}
	return nil
}

// realPlace is the own name of a place that need not exist yet.
func realPlace(path string) string {
	real := realFolder(path)
	if _, err := os.Lstat(real); err == nil || filepath.Dir(real) == real {
		return real
	}
	return filepath.Join(realPlace(filepath.Dir(real)), filepath.Base(real))
}

// folderCache is where the index of a folder is kept: a file of its own for each
// folder.
func folderCache(settings config.Config, dir string) vault.Cache {
	if settings.CacheDir == "" {
		return vault.Cache{}
	}
	return vault.Cache{File: cacheFile(settings, dir, ".idx"), Owner: dir}
}
