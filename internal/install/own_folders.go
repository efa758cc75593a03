package install

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/system"
)

// withOwnFolders adds the config file and the state folder to an entry if the server would not find them: clients do
// not pass on this shell's XDG variables. What an earlier entry says about them stays.
func (i *Installation) withOwnFolders(client clients.Client, server clients.Server) clients.Server {
	file, state := i.ownFile(), i.ownState()
	if server.URL != "" || file == "" && state == "" {
		return server
	}
	plan, _ := i.lookUp(client)
	if i.hasFittingFile(plan.Earlier, server) {
		return server
	}
	if state != "" && !gives(plan.Earlier, "XDG_STATE_HOME", "state_dir") {
		server.Env = append(slices.Clone(server.Env), clients.Variable{Name: "OBSIDIAN_MCP_STATE_DIR", Value: state})
	}
	if file != "" && !gives(plan.Earlier, "XDG_CONFIG_HOME") {
		server.Args = []string{"--config", file}
	}
	return server
}

// ownFile returns the user's config file if only XDG_CONFIG_HOME leads to it; otherwise "".
func (i *Installation) ownFile() string {
	folder, _ := i.Source.Lookup("XDG_CONFIG_HOME")
	file, usual := i.Settings.File, filepath.Join(i.Machine.Home, ".config", config.FileName)
	if i.Source.File != "" || folder == "" || file != filepath.Join(folder, config.FileName) || system.SameFile(file, usual) {
		return ""
	}
	return file
}

// ownState returns the user's state folder if only XDG_STATE_HOME leads to it; otherwise "".
func (i *Installation) ownState() string {
	folder, _ := i.Source.Lookup("XDG_STATE_HOME")
	if folder == "" || i.Settings.IsGiven("state_dir") {
		return ""
	}
	usual, err := config.Load(config.Source{File: os.DevNull, Lookup: clients.Server{}.Variable})
	if err == nil && usual.StateDir == i.Settings.StateDir {
		return ""
	}
	return i.Settings.StateDir
}

// gives reports whether an entry gives one of the named variables or settings.
func gives(entry clients.Server, names ...string) bool {
	isNamed := func(name string) bool { return slices.Contains(names, name) }
	for _, setting := range config.Settings() {
		if isNamed(setting.Name) && isGiven(setting, entry) {
			return true
		}
	}
	return slices.ContainsFunc(entry.Env, func(variable clients.Variable) bool { return isNamed(variable.Name) }) ||
		slices.ContainsFunc(arguments(entry.Args), func(arg argument) bool {
			return isNamed(strings.ReplaceAll(arg.option, "-", "_"))
		})
}

// hasFittingFile reports whether an entry names a config file that can stay.
func (i *Installation) hasFittingFile(entry, server clients.Server) bool {
	return slices.ContainsFunc(arguments(entry.Args), func(arg argument) bool {
		return arg.option == "config" && i.fits(arg.value, server)
	})
}
