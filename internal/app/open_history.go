package app

import (
	"log/slog"
	"path/filepath"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/history"
)

// options are what a vault in a place keeps: the cache of its index, and the
// history of its changes.
func (p place) options(settings config.Config, log *slog.Logger) vault.Options {
	options := vault.Options{Cache: p.cache, Unrecorded: settings.History.Mode == config.HistoryOptional}
	if settings.History.Mode != config.HistoryOff {
		options.History = history.Open(history.Options{
			Dir: filepath.Join(settings.StateDir, p.state, "history"), Secret: p.secret, Log: log,
			Keep: time.Duration(settings.History.Days) * 24 * time.Hour, MaxBytes: int64(settings.History.MB) * 1_000_000,
		})
	}
	return options
}
