package obsidian

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// connect returns a line to the running app. Asking over it never starts the app.
//
// Where the app listens is not documented. On macOS and Windows it has one place, so an app that does not listen there
// is not running. On Linux the place depends on how the app was installed. There the program itself is asked, without a
// display, so that an app that it tried to start would end at once.
func (a *App) connect() (line, error) {
	found, err := a.newLine()
	if err != nil {
		return line{}, err
	}
	switch isRunning := found.reachApp(); {
	case isRunning:
	case a.system == "darwin" || a.system == "windows":
		return line{}, notRunning("Obsidian is not running")
	default:
		found.environment = withoutDisplay(found.environment)
	}
	return found, nil
}

// connectOrStart returns a line to the app over which the program may start it.
func (a *App) connectOrStart() (line, error) {
	found, err := a.newLine()
	if err != nil {
		return line{}, err
	}
	found.reachApp()
	found.mayStart = true
	return found, nil
}

func (a *App) newLine() (line, error) {
	program, err := a.Program()
	if err != nil {
		return line{}, err
	}
	vault, err := a.options.Vault.selector()
	if err != nil {
		return line{}, err
	}
	found := line{app: a, program: program, vault: vault, environment: a.options.Environment}
	return found, checkArguments([]string{"vault=" + vault})
}

// socketName is the name of the socket on which the app listens for the program.
const socketName = ".obsidian-cli.sock"

// reachApp reports whether an app listens for the program in one of the usual places. It lets the program find it there:
// in a Flatpak or a snap, the app has a runtime folder of its own.
func (l *line) reachApp() bool {
	if l.app.system == "windows" {
		return slices.ContainsFunc(l.app.pipes(), func(name string) bool { return strings.Contains(name, "obsidian-cli") })
	}
	for _, dir := range l.app.socketFolders() {
		connection, err := net.DialTimeout("unix", filepath.Join(dir, socketName), time.Second)
		if err != nil {
			continue
		}
		_ = connection.Close()
		if l.app.system != "darwin" {
			l.environment = append(without(l.environment, "XDG_RUNTIME_DIR"), "XDG_RUNTIME_DIR="+dir)
		}
		return true
	}
	return false
}

// socketFolders are the folders that may hold the app's socket.
func (a *App) socketFolders() []string {
	home := a.variable("HOME")
	if a.system == "darwin" {
		return []string{home}
	}
	runtimeDir := a.variable("XDG_RUNTIME_DIR")
	if runtimeDir == "" {
		runtimeDir = fmt.Sprintf("/run/user/%d", os.Getuid()) // a service has no variable for it
	}
	return []string{
		runtimeDir, home,
		filepath.Join(runtimeDir, ".flatpak", "md.obsidian.Obsidian", "xdg-run"), filepath.Join(runtimeDir, "snap.obsidian"),
	}
}

// withoutDisplay returns an environment in which no window can be opened.
func withoutDisplay(environment []string) []string {
	return append(without(environment, "DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"), "WAYLAND_DISPLAY=obsidian-mcp-has-no-display")
}

// without returns an environment without some variables.
func without(environment []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(names, name)
	})
}

// namedPipes lists the named pipes of Windows.
func namedPipes() []string {
	entries, _ := os.ReadDir(`\\.\pipe\`)
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}
