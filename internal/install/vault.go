package install

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/visible"
)

// vault returns the folder of the vault that the settings or Obsidian's list name, or "" for a vault in a database.
func (i *Installation) vault(ctx context.Context) (string, error) {
	if err := i.Settings.CheckVault(); err != nil || !i.Settings.VaultIsFolder() {
		return "", err
	}
	folder, from, err := i.findVault(ctx)
	if err != nil {
		return "", err
	}
	if folder, err = absolute(folder); err != nil {
		return "", err
	}
	found, err := lookForVaults(ctx, []config.Registered{{Path: folder}})
	if err != nil {
		return "", err
	}
	if err := found[0].Check(); err != nil {
		return "", fault.VaultNotFound.Errorf("%s: %w", from, err).WithHint("nothing was changed; %s", fault.HintOf(err))
	}
	if !strings.HasPrefix(from, "--") {
		i.vaultReason = fmt.Sprintf("the vault is '%s' (%s), from %s; --vault-path chooses another",
			visible.Name(filepath.Base(folder)), visible.Name(folder), from)
	}
	return folder, nil
}

// findVault finds the vault's folder, and says where it was found.
func (i *Installation) findVault(ctx context.Context) (folder, from string, err error) {
	switch {
	case i.Settings.VaultPath != "":
		return i.Settings.VaultPath, i.Settings.From("vault_path"), nil
	case i.Settings.Vault != "":
		folder, err = config.UserRegistry().Find(i.Settings.Vault)
		return folder, i.Settings.From("vault"), err
	}
	folder, err = i.registered(ctx)
	return folder, "Obsidian's list", err
}

// registered returns the vault in Obsidian's list; if there are several, the one that the person picks.
func (i *Installation) registered(ctx context.Context) (string, error) {
	const nameIt = "nothing was changed; name the vault's folder with --vault-path"
	registry := config.UserRegistry()
	listed := registry.Vaults()
	switch {
	case len(listed) == 0 && registry.Damaged() != "":
		return "", fault.VaultNotFound.
			Errorf("which vault? Obsidian's list of vaults, %s, cannot be read", visible.Name(registry.Damaged())).
			WithHint(nameIt)
	case len(listed) == 0:
		return "", fault.VaultNotFound.Errorf("which vault? Obsidian has no vault registered on this machine").WithHint(nameIt)
	case len(listed) == 1:
		return listed[0].Path, nil
	}
	vaults, err := lookForVaults(ctx, listed)
	if err != nil {
		return "", err
	}
	names := make([]string, len(vaults))
	for n, vault := range vaults {
		names[n] = visible.Name(vault.Path) + vault.Remark()
	}
	only, several := onlyPresent(vaults)
	switch {
	case only < 0 && !several:
		return "", fault.VaultNotFound.
			Errorf("none of the vaults in Obsidian's list exists: %s", strings.Join(names, ", ")).WithHint(nameIt)
	case i.PickVault == nil && only >= 0 && !slices.ContainsFunc(vaults, isSilent):
		return vaults[only].Path, nil
	case i.PickVault == nil:
		return "", fault.VaultNotFound.Errorf("which vault? Obsidian knows %s", strings.Join(names, ", ")).
			WithHint("nothing was changed; choose one with --vault-path")
	}
	return i.PickVault(vaults, usualVault(listed, vaults))
}

// usualVault returns the index of the vault that a person most likely means, or -1: the only one whose folder exists, or
// the one that Obsidian had open.
func usualVault(listed []config.Registered, vaults []Vault) int {
	if only, _ := onlyPresent(vaults); only >= 0 {
		return only
	}
	likely, _ := config.Likely(listed)
	usual := slices.Index(listed, likely)
	if usual >= 0 && vaults[usual].presence != present {
		return -1
	}
	return usual
}

// onlyPresent returns the index of the only vault whose folder exists, or -1; several says that more than one does.
func onlyPresent(vaults []Vault) (only int, several bool) {
	only = -1
	for n, vault := range vaults {
		if vault.presence == present && only >= 0 {
			return -1, true
		}
		if vault.presence == present {
			only = n
		}
	}
	return only, false
}

func isSilent(vault Vault) bool { return vault.presence == silent }
