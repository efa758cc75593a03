package app

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/system"
)

// vaultFolder is the folder that the settings name.
func vaultFolder(settings config.Config) (string, error) {
	switch {
	case settings.VaultPath != "" && settings.Vault != "":
		found, err := config.UserRegistry().Find(settings.Vault)
		if err != nil || !sameFolder(found, settings.VaultPath) {
			return "", fault.InvalidArgument.Errorf("%s and %s are both set, and differ",
				settings.From("vault_path"), settings.From("vault")).WithHint("set one of them")
		}
		return found, nil
	case settings.VaultPath != "":
		return settings.VaultPath, nil
	case settings.Vault != "":
		found, err := config.UserRegistry().Find(settings.Vault)
		return found, settings.Blame("vault", err)
	}
	return "", fault.VaultNotFound.Errorf("OBSIDIAN_VAULT_PATH not set").WithHint("%s", proposeVault(config.UserRegistry()))
}

// proposeVault says what to do if no vault is named: take one that Obsidian knows and that still exists, or name one.
func proposeVault(registry config.Registry) string {
	const orInstall = "; obsidian-mcp install puts it into an AI client's configuration"
	ctx, stop := context.WithTimeout(context.Background(), proposalTime)
	defer stop()
	vaults := install.StillThere(ctx, registry.Vaults())
	if likely, ok := config.Likely(vaults); ok {
		path := likely.Path
		if registry.System != "windows" {
			path = clients.ShellWord(path)
		}
		return fmt.Sprintf("Obsidian knows the vault '%s': set OBSIDIAN_VAULT_PATH=%s", likely.Name, path) + orInstall
	}
	if len(vaults) > 0 {
		names := make([]string, len(vaults))
		for i, vault := range vaults {
			names[i] = fmt.Sprintf("'%s' (%s)", vault.Name, vault.Path)
		}
		return "Obsidian knows the vaults " + strings.Join(names, ", ") +
			": set it to one of these folders, or OBSIDIAN_VAULT to the name" + orInstall
	}
	return "set it (or --vault-path) to the vault's folder, or OBSIDIAN_VAULT (--vault) to its name in Obsidian, " +
		"or COUCHDB_BASE_URL and COUCHDB_DATABASE_NAME for a LiveSync vault" + orInstall
}

// proposalTime is how long to wait for the folders that may be proposed.
const proposalTime = time.Second

// sameFolder reports whether two paths name the same folder. Paths that are spelled alike do, even if it does not exist.
func sameFolder(a, b string) bool {
	return filepath.Clean(a) == filepath.Clean(b) || system.SameFile(a, b)
}

// folderID is the id of a vault in a folder in URIs.
func folderID(settings config.Config, dir string) string {
	if settings.VaultID != "" {
		return settings.VaultID
	}
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	return filepath.Base(dir)
}
