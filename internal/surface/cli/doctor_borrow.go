package cli

import (
	"cmp"
	"maps"
	"slices"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/install"
)

// borrowVault gives the settings with which the clients start the server, where
// its own name no vault and those of the clients name one. What is given here
// wins over what is in the client's entry, but for the vault.
func borrowVault(own config.Config, source config.Source, found []ClientVault) (config.Config, bool) {
	named := slices.DeleteFunc(slices.Clone(found), func(one ClientVault) bool { return one.Vault == "" })
	differs := func(one ClientVault) bool { return one.Vault != named[0].Vault }
	if own.NamesVault() || len(named) == 0 || slices.ContainsFunc(named, differs) {
		return own, false
	}
	lender := named[0]
	settings, err := config.Load(over(source, lender.source))
	if err != nil {
		settings = own // they contradict each other
	}
	settings.VaultPath, settings.Vault, settings.VaultID, settings.LiveSync = lender.Settings.VaultPath, lender.Settings.Vault, lender.Settings.VaultID, lender.Settings.LiveSync
	return settings, true
}

// over is the source of settings that come from here or, where they are not
// given here, from a client's entry. A client does not have the variables of
// this shell, so that its own come first.
func over(here, entry config.Source) config.Source {
	both := config.Source{Flags: maps.Clone(entry.Flags), File: cmp.Or(here.File, entry.File), Quiet: here.Quiet}
	maps.Copy(both.Flags, here.Flags)
	both.Lookup = func(variable string) (string, bool) {
		value, ok := entry.Lookup(variable)
		if ok || install.NamesVault(variable) {
			return value, ok
		}
		return here.Lookup(variable)
	}
	return both
}
