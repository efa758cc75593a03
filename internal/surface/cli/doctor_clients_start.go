package cli

import (
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install"
	"obsidian-mcp/internal/install/clients"
)

// noProgram says that there is nothing to start where an entry says; nil: there
// is, or only the client can tell, as for what it finds on its own PATH, what it
// fills in, and a path of Windows that is read in Linux.
func noProgram(entry clients.Entry) error {
	if !filepath.IsAbs(entry.Command) || isFilledIn(entry.Command) {
		return nil
	}
	anew := byInstall(entry, "writes the entry anew", "write the program's path into the entry")
	_, err := exec.LookPath(entry.Command)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fault.NotFound.Errorf("there is no program %s", entry.Command).WithHint("%s", anew)
	}
	if inner, ok := errors.AsType[*exec.Error](err); ok {
		err = inner.Err
	}
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		err = inner.Err
	}
	return fault.InvalidArgument.Errorf("%s cannot be started: %w", entry.Command, err).WithHint("%s", anew)
}

// offPath says that a program without a path is not found here; nil: it is, or
// has a path. The client may have another PATH than this shell.
func offPath(entry clients.Entry) error {
	if entry.Command == "" || entry.Off || strings.ContainsAny(entry.Command, `/\~`) || isFilledIn(entry.Command) {
		return nil
	}
	if _, err := exec.LookPath(entry.Command); err == nil {
		return nil
	}
	return fault.NotFound.Errorf("'%s' is not on the PATH here, though it may be on that of the client", entry.Command).
		WithHint("%s", byInstall(entry, "writes the whole path into the entry", "write the whole path into the entry"))
}

// byInstall says how install does something to an entry, or what a person does,
// where install does not take the entry's name.
func byInstall(entry clients.Entry, does, byHand string) string {
	command := "obsidian-mcp install " + entry.Client.ID
	switch {
	case entry.Name == install.DefaultName:
	case install.CheckName(entry.Name) == nil:
		command += " --name " + entry.Name
	default:
		return byHand
	}
	return command + " " + does
}

// isRelativeCommand reports whether a program is looked for from the folder that
// the client happens to be in.
func isRelativeCommand(command string) bool {
	return strings.HasPrefix(command, "./") || strings.HasPrefix(command, "../")
}

// isFilledIn reports whether a client puts something else in the place of a part
// of a path.
func isFilledIn(path string) bool { return strings.ContainsAny(path, "$%") }

// servesNobody says that the program, started with some arguments, does not talk
// to the client that starts it; nil: it does, or refuses the arguments itself.
func (p Program) servesNobody(args []string) error {
	root := p.root()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return nil
	}
	about := cmd.CommandPath()
	if cmd == root || cmd.Name() == "stdio" {
		parsing := cmd.ParseFlags(rest)
		switch version, _ := cmd.Flags().GetBool("version"); {
		case version:
			about += " --version"
		case errors.Is(parsing, pflag.ErrHelp):
			about += " --help"
		default:
			return nil
		}
	}
	return fault.InvalidArgument.Errorf("'%s' does not serve over stdin and stdout", about).
		WithHint("let the entry's args begin with stdio, or hold options alone; a server over HTTP is given as a url")
}
