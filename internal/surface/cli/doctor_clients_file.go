package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/system"
)

// startedFrom is the source of the settings of a server that a client starts,
// with the config file that it finds, and the file that is found in this shell
// alone; "": there is none. Clients do not pass XDG_CONFIG_HOME on, but for that
// of their entry, which somebody has chosen.
func startedFrom(entry config.Source) (theirs config.Source, unread string) {
	home, err := os.UserHomeDir()
	if entry.File != "" || err != nil || !isXDG(runtime.GOOS) {
		return entry, ""
	}
	chosen, _ := entry.Lookup("XDG_CONFIG_HOME")
	folder := cmp.Or(chosen, filepath.Join(home, ".config"))
	here, _ := os.UserConfigDir() // "": none that can be
	if filepath.Clean(folder) == filepath.Clean(here) {
		return entry, ""
	}
	theirs, file, other := entry, filepath.Join(folder, config.FileName), filepath.Join(here, config.FileName)
	if theirs.File = file; !filepath.IsAbs(file) || !system.Exists(file) {
		theirs.File = os.DevNull
	}
	if here != "" && chosen == "" && system.Exists(other) && !system.SameFile(file, other) {
		unread = other
	}
	return theirs, unread
}

// isXDG reports whether a system has the user's config folder where a variable
// of a shell may say.
func isXDG(system string) bool {
	switch system {
	case "windows", "darwin", "ios", "plan9":
		return false
	}
	return true
}

// notRead says that a config file is not that of the server that a client starts.
func notRead(entry clients.Entry, file string) error {
	return fault.InvalidArgument.Errorf("the server that it starts does not read %s, as XDG_CONFIG_HOME is set in this shell alone", file).
		WithHint("%s", byInstall(entry, "writes the entry anew, with --config", "put --config and the file into the entry's args"))
}
