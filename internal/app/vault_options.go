package app

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"path/filepath"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/note/moment"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/history"
	"obsidian-mcp/internal/vault/periodic"
)

// vaultOptions are what a vault keeps on disk: the cache of its index, and the history of its changes.
func vaultOptions(opened openedStore, settings config.Config, log *slog.Logger) vault.Options {
	options := vault.Options{Cache: opened.cache, Unrecorded: settings.History.Mode == config.HistoryOptional, Given: givenLayout(settings), Prompts: vpath.Path(settings.Prompts)}
	if settings.History.Mode != config.HistoryOff {
		options.History = history.Open(history.Options{
			Dir: filepath.Join(settings.StateDir, opened.stateName, "history"), Secret: opened.secret, Log: log,
			Keep: time.Duration(settings.History.Days) * 24 * time.Hour, MaxBytes: int64(settings.History.MB) * 1_000_000,
		})
	}
	if model := openModel(settings, log); model != nil {
		options.Meaning = model
	}
	return options
}

// givenLayout is what the config file says instead of Obsidian's settings.
func givenLayout(settings config.Config) vault.Given {
	given := vault.Given{Attachments: settings.Layout.Attachments, Periods: map[periodic.Period]periodic.Override{}}
	given.Locale, _ = moment.LocaleNamed(settings.Locale)
	if folder := settings.Layout.Templates; folder != nil {
		given.Templates = new(vpath.Path(*folder))
	}
	for period, notes := range settings.Layout.Periods {
		given.Periods[periodic.Period(period)] = periodic.Override(notes)
	}
	return given
}

// userZone is the time zone of the user, and who says so.
func userZone(settings config.Config) (zone *time.Location, source string) {
	if settings.Timezone != nil {
		return settings.Timezone, "the setting timezone"
	}
	return system.LocalZone(), "the system"
}

// cacheFile is a file in the cache folder that belongs to the named vault.
func cacheFile(settings config.Config, vault, ext string) string {
	return filepath.Join(settings.CacheDir, digest(vault)+ext)
}

// digest turns a name that is not a file name, or that nobody should read, into a file name.
func digest(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:12])
}
