package obsidian

import (
	"path/filepath"
	"strings"

	"obsidian-mcp/internal/fault"
)

// howToEnable says how to get the command line program.
const howToEnable = "turn on Settings → General → Command line interface in Obsidian (1.12.7 or later), or set app_program in the config file"

// Program returns the command line program: the configured one, or the first that is found. The name obsidian comes
// last, because it may be the app itself.
func (a *App) Program() (string, error) {
	if configured := a.options.Program; configured != "" {
		found, err := a.lookPath(configured)
		if err != nil {
			return "", a.cannotRun(configured, err)
		}
		return found, nil
	}
	for _, candidate := range append(append([]string{"obsidian-cli"}, a.knownPlaces()...), "obsidian") {
		if found, err := a.lookPath(candidate); err == nil && filepath.IsAbs(found) {
			return found, nil
		}
	}
	return "", fault.ObsidianNotRunning.Errorf("Obsidian's command line program is not installed on this machine").WithHint(howToEnable)
}

// cannotRun is the error for a program that cannot be executed.
func (a *App) cannotRun(program string, err error) error {
	if a.options.Program == "" {
		return fault.ObsidianNotRunning.Errorf("Obsidian's command line program cannot be run: %w", err).WithHint(howToEnable)
	}
	return fault.ObsidianNotRunning.Errorf("app_program: '%s' cannot be run: %w", program, err).
		WithHint("correct app_program in the config file, or remove it")
}

// knownPlaces are the paths where Obsidian installs the program.
func (a *App) knownPlaces() []string {
	home := a.variable("HOME")
	switch a.system {
	case "darwin":
		inApp := filepath.Join("Applications", "Obsidian.app", "Contents", "MacOS", "obsidian-cli")
		return []string{"/usr/local/bin/obsidian", "/" + inApp, filepath.Join(home, inApp)}
	case "windows":
		local := a.variable("LOCALAPPDATA")
		return []string{filepath.Join(local, "Programs", "obsidian", "Obsidian.com"), filepath.Join(local, "obsidian", "Obsidian.com")}
	}
	return []string{filepath.Join(home, ".local", "bin", "obsidian"), "/opt/Obsidian/obsidian-cli"}
}

// variable returns a variable of the program's environment; "" if it is not set.
func (a *App) variable(name string) string {
	for _, variable := range a.options.Environment {
		key, value, _ := strings.Cut(variable, "=")
		if key == name || a.system == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}
