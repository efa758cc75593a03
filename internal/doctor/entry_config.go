package doctor

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/system"
)

// startedFrom is the source of the settings of a server that a client starts, with the config file that this server
// finds. unread is a file that is found only in this shell: clients do not pass on XDG_CONFIG_HOME, unless somebody
// has put it into the entry.
func startedFrom(entry config.Source) (source config.Source, unread string) {
	home, err := os.UserHomeDir()
	if entry.File != "" || err != nil || !usesXDG(runtime.GOOS) {
		return entry, ""
	}
	chosen, _ := entry.Lookup("XDG_CONFIG_HOME")
	folder := cmp.Or(chosen, filepath.Join(home, ".config"))
	here, _ := os.UserConfigDir() // "" if this shell has none
	if filepath.Clean(folder) == filepath.Clean(here) {
		return entry, ""
	}
	source, file, other := entry, filepath.Join(folder, config.FileName), filepath.Join(here, config.FileName)
	if source.File = file; !filepath.IsAbs(file) || !system.Exists(file) {
		source.File = os.DevNull
	}
	if here != "" && chosen == "" && system.Exists(other) && !system.SameFile(file, other) {
		unread = other
	}
	return source, unread
}

// usesXDG reports whether a variable of the shell says where the user's config folder is.
func usesXDG(system string) bool {
	switch system {
	case "windows", "darwin", "ios", "plan9":
		return false
	}
	return true
}

// notRead says that the server that a client starts does not read a config file.
func notRead(entry clients.Entry, file string) error {
	return fault.InvalidArgument.Errorf(
		"the server that it starts does not read %s, as XDG_CONFIG_HOME is set in this shell only", file).
		WithHint("%s", byInstall(entry, "rewrites the entry, with --config", "put --config and the file into the entry's args"))
}

// borrowVault takes the vault of the clients if the settings here name no vault and all clients name the same one.
// Except for the vault, settings made here win over those in the client's entry.
func borrowVault(own config.Config, source config.Source, entries []Entry) (settings config.Config, borrowed bool) {
	naming := slices.DeleteFunc(slices.Clone(entries), func(entry Entry) bool { return entry.Vault == "" })
	differs := func(entry Entry) bool { return entry.Vault != naming[0].Vault }
	if own.NamesVault() || len(naming) == 0 || slices.ContainsFunc(naming, differs) {
		return own, false
	}
	lender := naming[0]
	settings, err := config.Load(over(source, lender.source))
	if err != nil {
		settings = own // the two contradict each other
	}
	settings.VaultPath, settings.Vault = lender.Settings.VaultPath, lender.Settings.Vault
	settings.VaultID, settings.LiveSync = lender.Settings.VaultID, lender.Settings.LiveSync
	return settings, true
}

// over is the source of settings that are made here or, failing that, in a client's entry. Variables of the entry come
// before those of this shell, which the client does not have.
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
