package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/system"
)

// withOwnPlaces adds what the server would not find of the user's own: clients do
// not pass on the variables of this shell that say where that is. What an earlier
// entry says itself stays.
func (i *installer) withOwnPlaces(client clients.Client, server clients.Server) clients.Server {
	file, state := i.ownFile(), i.ownState()
	if server.URL != "" || file == "" && state == "" {
		return server
	}
	known, _ := i.lookUp(client)
	if i.hasFitting(known.Earlier, server) {
		return server
	}
	if state != "" && !i.says(known.Earlier, "XDG_STATE_HOME", "state_dir") {
		server.Env = append(slices.Clone(server.Env), clients.Variable{Name: "OBSIDIAN_MCP_STATE_DIR", Value: state})
	}
	if file != "" && !i.says(known.Earlier, "XDG_CONFIG_HOME") {
		server.Args = []string{"--config", file}
	}
	return server
}

// ownFile is the user's config file where XDG_CONFIG_HOME alone leads to it.
func (i *installer) ownFile() string {
	folder, _ := i.Lookup("XDG_CONFIG_HOME")
	given, _ := i.cmd.Flags().GetString("config")
	file, usual := i.settings.File, filepath.Join(i.machine.Home, ".config", config.FileName)
	if given != "" || folder == "" || file != filepath.Join(folder, config.FileName) || system.SameFile(file, usual) {
		return ""
	}
	return file
}

// ownState is the user's state folder where XDG_STATE_HOME alone leads to it.
func (i *installer) ownState() string {
	folder, _ := i.Lookup("XDG_STATE_HOME")
	if folder == "" || i.settings.IsGiven("state_dir") {
		return ""
	}
	usual, err := config.Load(config.Source{File: os.DevNull, Lookup: func(string) (string, bool) { return "", false }})
	if err == nil && usual.StateDir == i.settings.StateDir {
		return ""
	}
	return i.settings.StateDir
}

// says reports whether an entry gives one of some variables and settings.
func (i *installer) says(entry clients.Server, names ...string) bool {
	isOne := func(name string) bool { return slices.Contains(names, name) }
	for _, setting := range config.Settings() {
		if isOne(setting.Name) && isGiven(setting, entry) {
			return true
		}
	}
	return slices.ContainsFunc(entry.Env, func(v clients.Variable) bool { return isOne(v.Name) }) ||
		slices.ContainsFunc(i.arguments(entry.Args), func(a argument) bool { return isOne(strings.ReplaceAll(a.option, "-", "_")) })
}

// hasFitting reports whether an entry names a config file that can stay.
func (i *installer) hasFitting(entry, server clients.Server) bool {
	return slices.ContainsFunc(i.arguments(entry.Args), func(a argument) bool { return a.option == "config" && i.fits(a.value, server) })
}
