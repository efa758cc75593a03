package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/text/visible"
)

// vault is the folder of the vault: of the settings, or of Obsidian's list. It
// is "" for a vault in a database.
func (i *installer) vault() (string, error) {
	if err := i.settings.OneVault(); err != nil {
		return "", err
	}
	if i.settings.LiveSync.Configured() {
		return "", i.settings.LiveSync.Check()
	}
	folder, from, err := i.findVault()
	if err != nil {
		return "", err
	}
	if folder, err = absolute(folder); err != nil {
		return "", err
	}
	looks, err := i.lookFor(folder)
	if err != nil {
		return "", err
	}
	if err := explain(folder, looks[0]); err != nil {
		return "", fault.VaultNotFound.Errorf("%s: %w", from, err).WithHint("nothing was changed; %s", fault.HintOf(err))
	}
	if !strings.HasPrefix(from, "--") {
		i.proposal = fmt.Sprintf("the vault is '%s' (%s), from %s; --vault-path chooses another", visible.Name(filepath.Base(folder)), visible.Name(folder), from)
	}
	return folder, nil
}

// findVault finds the vault, and says where it was found.
func (i *installer) findVault() (folder, from string, err error) {
	switch {
	case i.settings.VaultPath != "":
		return i.settings.VaultPath, i.settings.From("vault_path"), nil
	case i.settings.Vault != "":
		folder, err = config.UserRegistry().Find(i.settings.Vault)
		return folder, i.settings.From("vault"), err
	}
	folder, err = i.registered()
	return folder, "Obsidian's list", err
}

// registered is the vault that Obsidian knows; of several, the one that a
// person picks.
func (i *installer) registered() (string, error) {
	registry := config.UserRegistry()
	all := registry.Vaults()
	switch {
	case len(all) == 0 && registry.Damaged() != "":
		return "", fault.VaultNotFound.Errorf("which vault? Obsidian's list of them, %s, cannot be read", visible.Name(registry.Damaged())).WithHint("nothing was changed; name the vault's folder with --vault-path")
	case len(all) == 0:
		return "", fault.VaultNotFound.Errorf("which vault? Obsidian has none registered on this machine").WithHint("nothing was changed; name the vault's folder with --vault-path")
	case len(all) == 1:
		return all[0].Path, nil
	}
	var paths, known []string
	for _, vault := range all {
		paths = append(paths, vault.Path)
	}
	looks, err := i.lookFor(paths...)
	if err != nil {
		return "", err
	}
	for n, path := range paths {
		known = append(known, visible.Name(path)+looks[n].remark())
	}
	switch {
	case !slices.Contains(looks, isThere):
		return "", fault.VaultNotFound.Errorf("of the vaults that Obsidian knows none is there: %s", strings.Join(known, ", ")).WithHint("nothing was changed; name the vault's folder with --vault-path")
	case !i.IsTerminal() || i.yes:
		if present := slices.DeleteFunc(slices.Clone(looks), func(l look) bool { return l == isGone }); len(present) == 1 {
			return paths[slices.Index(looks, isThere)], nil
		}
		return "", fault.VaultNotFound.Errorf("which vault? Obsidian knows %s", strings.Join(known, ", ")).WithHint("nothing was changed; choose one with --vault-path")
	}
	likely, _ := config.Likely(all)
	return i.pickVault(all, looks, likely)
}

// pickVault asks which vault of a list; the likely one needs no answer, nor does
// the only one whose folder is there.
func (i *installer) pickVault(all []config.Registered, looks []look, likely config.Registered) (folder string, err error) {
	i.listVaults(all, looks)
	usual := slices.Index(all, likely)
	if only := slices.Index(looks, isThere); !slices.Contains(looks[only+1:], isThere) {
		usual = only
	}
	question, otherwise := "Which vault? A number, or q to leave: ", ""
	if usual >= 0 && looks[usual] == isThere {
		otherwise = strconv.Itoa(usual + 1)
		question = fmt.Sprintf("Which vault? A number, or q to leave [%s]: ", otherwise)
	}
	err = i.askFor(question, func(answer string) error {
		answer = cmp.Or(answer, otherwise)
		number, err := strconv.Atoi(answer)
		if err != nil || number < 1 || number > len(all) {
			return fmt.Errorf("'%s' is not in the list: answer with a number from 1 to %d", visible.Name(answer), len(all))
		}
		folder = all[number-1].Path
		return explain(folder, looks[number-1])
	})
	return folder, err
}

// listVaults shows vaults with their numbers.
func (i *installer) listVaults(all []config.Registered, looks []look) {
	widest := 0
	for _, vault := range all {
		widest = max(widest, utf8.RuneCountInString(visible.Name(vault.Name)))
	}
	for n, vault := range all {
		fmt.Fprintf(i.Err, "%d  %-*s  %s%s\n", n+1, widest, visible.Name(vault.Name), visible.Name(vault.Path), looks[n].remark())
	}
}
