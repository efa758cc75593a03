package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/text/visible"
)

// server is what clients are told: a program to start with its settings, or an
// address.
func (i *installer) server() (clients.Server, error) {
	s := clients.Server{Name: i.name, Command: Executable()}
	switch {
	case i.url != "":
		s.URL, s.Token = i.url, i.token()
		return s, nil
	case i.removes:
		return s, nil
	}
	variables, err := i.variables()
	if err != nil {
		return s, err
	}
	s.Env = variables
	if file, _ := i.cmd.Flags().GetString("config"); file != "" {
		if file, err = lasting("--config", file); err != nil {
			return s, err
		}
		s.Args = []string{"--config", file}
	}
	return s, nil
}

// Executable is this program as a person would name it: a link that leads to it
// stays a link, since what it leads to may change with the version.
func Executable() string {
	named, err := exec.LookPath(os.Args[0])
	if err == nil {
		named, err = filepath.Abs(named)
	}
	real, unknown := os.Executable()
	switch {
	case unknown != nil && err == nil:
		return named
	case unknown != nil:
		return os.Args[0]
	case err != nil || !system.SameFile(named, real):
		return real
	}
	return named
}

// absolute is a path in full. It cannot be told from a folder that is gone.
func absolute(name string) (string, error) {
	whole, err := filepath.Abs(name)
	if err != nil {
		return "", fault.InvalidArgument.Errorf("'%s' is a relative path, and the working folder is not there any more", visible.Name(name)).
			WithHint("nothing was changed; name the whole path, or go to another folder")
	}
	return whole, nil
}

// lasting is the whole path of a file, if that is there whenever a client starts
// the server: what a shell has opened for this process is not. Of other pipes no
// setting is read.
func lasting(from, file string) (string, error) {
	if file == os.DevNull {
		return file, nil
	}
	whole, err := absolute(file)
	if err == nil && (strings.HasPrefix(whole, "/dev/") || strings.HasPrefix(whole, "/proc/")) {
		return "", fault.InvalidArgument.Errorf("%s: %s is no file that stays, and the client would not find it later", from, visible.Name(whole)).
			WithHint("nothing was changed; put what it holds into a regular file, and name that")
	}
	return whole, err
}

// isTemporary reports whether a program will not stay where it is.
func isTemporary(program string) bool {
	inside, err := filepath.Rel(os.TempDir(), program)
	return err == nil && filepath.IsLocal(inside) || strings.Contains(program, "go-build")
}

// variables are the settings in force as the client is to pass them on. What is
// in the config file is read from there by the server itself.
func (i *installer) variables() ([]clients.Variable, error) {
	folder, err := i.vault()
	if err != nil {
		return nil, err
	}
	var all []clients.Variable
	if folder != "" {
		all = append(all, clients.Variable{Name: "OBSIDIAN_VAULT_PATH", Value: folder})
	}
	for _, given := range i.settings.Given() {
		variable, ok, err := i.carry(given)
		if err != nil {
			return nil, err
		}
		if ok {
			all = append(all, variable)
		}
	}
	return all, nil
}

// carry is one setting as a variable.
func (i *installer) carry(given config.Given) (clients.Variable, bool, error) {
	setting, from, name := given.Setting, given.From, given.Setting.Variables[0]
	value, _ := i.Lookup(from) // the name of a file where the variable is one
	if given.ByFlag() {
		value = i.cmd.Flags().Lookup(setting.Flag()).Value.String()
	}
	switch {
	case given.InFile(), !given.MeantForUs(), setting.Vault == config.VaultFolder, value == "":
		return clients.Variable{}, false, nil
	case setting.HTTPOnly && given.ByFlag():
		return clients.Variable{}, false, fault.InvalidArgument.Errorf("%s is for serving over HTTP, and says nothing to a client that starts the program itself", from).
			WithHint("leave it out, or give the server's address with --url")
	case setting.HTTPOnly:
		return clients.Variable{}, false, nil
	case strings.HasSuffix(from, "_FILE"):
		file, err := lasting(from, value)
		return clients.Variable{Name: from, Value: file}, err == nil, err
	case setting.Secret:
		return clients.Variable{}, false, fault.InvalidArgument.Errorf("%s is a secret, and is not written into a client's configuration", from).
			WithHint("put it into a file that only you can read, and set %s_FILE to that, or put it into the config file", name)
	}
	if path, isPath := setting.Path(i.settings); isPath { // in full: the client starts the program in any folder
		if value = "off"; path != "" {
			whole, err := absolute(path)
			return clients.Variable{Name: name, Value: whole}, err == nil, err
		}
	}
	return clients.Variable{Name: name, Value: value}, true, nil
}
