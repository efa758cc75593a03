package doctor

import (
	"os"
	"path/filepath"

	"obsidian-mcp/internal/config"
)

// config reports where the settings come from.
func (r *Report) config(settings config.Config, environment []string, verbose bool) {
	if settings.File != "" {
		r.ok("config: %s", settings.File)
	} else if folder, err := os.UserConfigDir(); err == nil {
		r.ok("config: no file; %s would be read", filepath.Join(folder, config.FileName))
	}
	for _, name := range config.Unknown(environment) {
		r.look("correct its name, or unset it", "config: unknown setting %s", name)
	}
	if !verbose {
		return
	}
	for _, setting := range settings.Given() {
		r.ok("config: %s is set by %s", setting.Setting.Name, setting.From)
	}
}
