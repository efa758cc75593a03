package doctor

import (
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install"
	"obsidian-mcp/internal/install/clients"
)

// noProgram is the error if the program that an entry names cannot be started. It leaves out what only the client knows:
// its own PATH, the parts of a path that it fills in, and a Windows path that is read in Linux.
func noProgram(entry clients.Entry) error {
	if !filepath.IsAbs(entry.Command) || isFilledIn(entry.Command) {
		return nil
	}
	remedy := byInstall(entry, "rewrites the entry", "write the program's path into the entry")
	_, err := exec.LookPath(entry.Command)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fault.NotFound.Errorf("there is no program %s", entry.Command).WithHint("%s", remedy)
	}
	if inner, ok := errors.AsType[*exec.Error](err); ok {
		err = inner.Err
	}
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		err = inner.Err
	}
	return fault.InvalidArgument.Errorf("%s cannot be started: %w", entry.Command, err).WithHint("%s", remedy)
}

// notOnPath says that a program without a path is not on the PATH of this shell. The client may have another PATH.
func notOnPath(entry clients.Entry) error {
	if entry.Command == "" || entry.Off || strings.ContainsAny(entry.Command, `/\~`) || isFilledIn(entry.Command) {
		return nil
	}
	if _, err := exec.LookPath(entry.Command); err == nil {
		return nil
	}
	return fault.NotFound.Errorf("'%s' is not on the PATH here, though it may be on that of the client", entry.Command).
		WithHint("%s", byInstall(entry, "writes the full path into the entry", "write the full path into the entry"))
}

// byInstall says how install does something to an entry or, if install does not accept the entry's name, what a
// person does.
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

// isRelativeCommand reports whether a program is looked for from the folder that the client happens to be in.
func isRelativeCommand(command string) bool {
	return strings.HasPrefix(command, "./") || strings.HasPrefix(command, "../")
}

// isFilledIn reports whether the client replaces a part of a path.
func isFilledIn(path string) bool { return strings.ContainsAny(path, "$%") }
