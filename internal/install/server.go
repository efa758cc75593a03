package install

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/text/visible"
)

// Server returns what the entries say: a program to start with its settings, or an address to call.
func (i *Installation) Server(ctx context.Context) (clients.Server, error) {
	server := thisProgram(i.Name)
	switch {
	case i.URL != "":
		server.URL, server.Token = i.URL, i.token()
		return server, nil
	case i.Remove:
		return server, nil
	}
	variables, err := i.variables(ctx)
	if err != nil {
		return server, err
	}
	server.Env = variables
	if i.Source.File != "" {
		file, err := lastingFile("--config", i.Source.File)
		if err != nil {
			return server, err
		}
		server.Args = []string{"--config", file}
	}
	return server, nil
}

// thisProgram returns an entry that starts this program. npx keeps programs in a cache, which npm may empty; if it started this
// one, it also starts the server.
func thisProgram(name string) clients.Server {
	server := clients.Server{Name: name, Command: Executable()}
	if isFromNPX(server.Command) {
		server.Command, server.Runner = clients.NPX()
	}
	return server
}

// Executable returns the path of this program as a person would write it. A symbolic link stays a link: what it points to
// may change with the version.
func Executable() string {
	named, err := exec.LookPath(os.Args[0])
	if err == nil {
		named, err = filepath.Abs(named)
	}
	running, unknown := os.Executable()
	switch {
	case unknown != nil && err == nil:
		return named
	case unknown != nil:
		return os.Args[0]
	case err != nil || !system.SameFile(named, running):
		return running
	}
	return named
}

// absolute makes a path absolute, which fails if the working folder has been removed.
func absolute(name string) (string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", fault.InvalidArgument.
			Errorf("'%s' is a relative path, and the working folder no longer exists", visible.Name(name)).
			WithHint("nothing was changed; give the full path, or change to another folder")
	}
	return path, nil
}

// lastingFile returns the absolute path of a file that will still exist when a client starts the server. Files that a
// shell has opened for this process only are refused.
func lastingFile(from, file string) (string, error) {
	if file == os.DevNull {
		return file, nil
	}
	path, err := absolute(file)
	if err == nil && (strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/")) {
		return "", fault.InvalidArgument.
			Errorf("%s: %s is not a regular file; it will be gone when a client starts the server", from, visible.Name(path)).
			WithHint("nothing was changed; copy its content into a regular file, and name that")
	}
	return path, err
}

// isTemporary reports whether a program is in a folder whose files get deleted.
func isTemporary(program string) bool {
	inside, err := filepath.Rel(os.TempDir(), program)
	return err == nil && filepath.IsLocal(inside) || strings.Contains(program, "go-build")
}

// isFromNPX reports whether npx has put a program into its cache.
func isFromNPX(program string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(program), "/"), "_npx")
}

func temporaryNote(program string) string {
	return "this program is in a temporary folder (" + visible.Name(program) +
		"): move it to where it can stay, and run install from there"
}

// variables returns the settings in force, as variables that the client passes on. The server reads its config file
// itself, so settings from there are left out.
func (i *Installation) variables(ctx context.Context) ([]clients.Variable, error) {
	folder, err := i.vault(ctx)
	if err != nil {
		return nil, err
	}
	var all []clients.Variable
	if folder != "" {
		all = append(all, clients.Variable{Name: "OBSIDIAN_VAULT_PATH", Value: folder})
	}
	for _, given := range i.Settings.Given() {
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
