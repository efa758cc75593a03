package app

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"path/filepath"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/history"
)

// vaultOptions are what a vault keeps on disk: the cache of its index, and the history of its changes.
func vaultOptions(opened openedStore, settings config.Config, log *slog.Logger) vault.Options {
	options := vault.Options{Cache: opened.cache, Unrecorded: settings.History.Mode == config.HistoryOptional}
	if settings.History.Mode != config.HistoryOff {
		options.History = history.Open(history.Options{
			Dir: filepath.Join(settings.StateDir, opened.stateName, "history"), Secret: opened.secret, Log: log,
			Keep: time.Duration(settings.History.Days) * 24 * time.Hour, MaxBytes: int64(settings.History.MB) * 1_000_000,
		})
	}
	return options
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
