package app

import (
	"os"
	"path/filepath"

	"obsidian-mcp/internal/config"
)

// config tells where the settings come from.
func (e *examination) config(settings config.Config, environment []string) {
	if settings.File != "" {
		e.ok("config: %s", settings.File)
	} else if folder, err := os.UserConfigDir(); err == nil {
		e.ok("config: none is read; %s would be", filepath.Join(folder, config.FileName))
	}
	for _, name := range config.Unknown(environment) {
		e.look("correct its name, or unset it", "config: there is no setting %s", name)
	}
	if !e.verbose {
		return
	}
	for _, given := range settings.Given() {
		e.ok("config: %s is given by %s", given.Setting.Name, given.From)
	}
}
