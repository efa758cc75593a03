package install

import (
	"path/filepath"
	"slices"
	"strings"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
)

// carry turns a setting of an installation into a variable of the entry. False means that the entry does not need it.
func (i *Installation) carry(given config.Given) (clients.Variable, bool, error) {
	setting, from := given.Setting, given.From
	value, _ := i.Source.Lookup(from) // the name of a file if the variable ends in _FILE
	if given.ByFlag() {
		value = i.Source.Flags[setting.Name]
	}
	switch {
	case given.InFile(), !given.MeantForUs(), setting.Vault == config.VaultFolder, value == "":
		return clients.Variable{}, false, nil
	case setting.HTTPOnly && given.ByFlag():
		return clients.Variable{}, false, fault.InvalidArgument.
			Errorf("%s is for serving over HTTP; it has no effect on a server that a client starts", from).
			WithHint("leave it out, or give the server's address with --url")
	case setting.HTTPOnly:
		return clients.Variable{}, false, nil
	case strings.HasSuffix(from, "_FILE"):
		file, err := lastingFile(from, value)
		return clients.Variable{Name: from, Value: file}, err == nil, err
	case setting.Secret:
		return clients.Variable{}, false, fault.InvalidArgument.
			Errorf("%s is a secret, which is not written into a client's configuration", from).
			WithHint("put it into a file that only you can read and set %s_FILE to its path, or put it into the config file",
				setting.Variables[0])
	}
	if path, isPath := setting.Path(i.Settings); isPath { // absolute: the client may start the program in any folder
		if value = "off"; path != "" {
			var err error
			if value, err = absolute(path); err != nil {
				return clients.Variable{}, false, err
			}
		}
	}
	return clients.Variable{Name: setting.Variables[0], Value: value}, true, nil
}

// Running returns the entry that starts this program for the vault it serves now. It passes on the settings in force, so
// that a vault that is read-only here is read-only there, too. vault holds the variables that name the vault; secrets
// among them are names of files for the person to create.
func Running(settings config.Config, vault []clients.Variable) clients.Server {
	server := thisProgram(DefaultName)
	server.Env = slices.Clone(vault)
	if file, err := filepath.Abs(settings.File); err == nil && settings.File != "" {
		server.Args = []string{"--config", file}
	}
	for _, given := range settings.Given() {
		setting, value := given.Setting, given.Value()
		if path, _ := setting.Path(settings); path != "" {
			value, _ = filepath.Abs(path)
		}
		namesVault := setting.Vault == config.VaultFolder || setting.Vault == config.VaultDatabase
		if value != "" && !namesVault && !setting.HTTPOnly && given.MeantForUs() && !given.InFile() {
			server.Env = append(server.Env, clients.Variable{Name: setting.Variables[0], Value: value})
		}
	}
	return server
}
