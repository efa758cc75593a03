package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"path/filepath"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
	"obsidian-mcp/internal/vault"
)

// place is where a vault is. What is served from it does not know which kind of
// place it is.
type place struct {
	store.Store
	id    string      // of the vault in URIs
	cache vault.Cache // of its index; none where its text must not reach the disk

	state  string // what is kept of it in the state folder is in a folder of this name
	secret string // what its history is sealed with; "": it is not
	// probe waits for the first contact, and tells why there is none; nil where
	// opening has told already.
	probe func(context.Context) error
	// damage names what could not be read while the index was built; nil where
	// the index tells.
	damage func(context.Context) []string
}

// reach waits for the first contact, and tells why there is none.
func (p place) reach(ctx context.Context) error {
	if p.probe == nil {
		return nil
	}
	return p.probe(ctx)
}

// openStore opens the place that the settings name.
func openStore(settings config.Config, log *slog.Logger) (place, error) {
	if err := settings.OneVault(); err != nil {
		return place{}, err
	}
	if settings.LiveSync.Configured() {
		in, err := openLiveSync(settings, log)
		if err != nil {
			return place{}, err
		}
		return liveSyncPlace(in, settings), nil
	}
	return openFolder(settings, log)
}

// cacheFile names a file in the cache folder after what it is of.
func cacheFile(settings config.Config, of, ext string) string {
	return filepath.Join(settings.CacheDir, digest(of)+ext)
}

// digest is a name for something whose own name is no file name, or is nobody's
// business.
func digest(of string) string {
	sum := sha256.Sum256([]byte(of))
	return hex.EncodeToString(sum[:12])
}

// openLiveSync opens the database that the settings name.
func openLiveSync(settings config.Config, log *slog.Logger) (*livesync.Store, error) {
	if err := settings.LiveSync.Check(); err != nil {
		return nil, err
	}
	return livesync.Open(livesync.Options{
		Couch:      couchOptions(settings.LiveSync),
		Passphrase: format.Passphrase(settings.LiveSync.Passphrase.Reveal()),
		Obfuscated: settings.LiveSync.Obfuscated,
		Cache:      sealedCache(settings),
		ReadOnly:   settings.ReadOnly,
		Log:        log,
	})
}

func couchOptions(settings config.LiveSync) couch.Options {
	return couch.Options{URL: settings.URL, Database: settings.Database, User: settings.User, Password: couch.Secret(settings.Password.Reveal())}
}

// sealedCache is the file that keeps a database's notes, encrypted, if that was
// asked for.
func sealedCache(settings config.Config) string {
	if !settings.LiveSync.Cache || settings.CacheDir == "" {
		return ""
	}
	return cacheFile(settings, databaseName(settings.LiveSync), ".sealed")
}

// databaseName tells a database from all others.
func databaseName(settings config.LiveSync) string { return settings.URL + "\n" + settings.Database }

// liveSyncPlace is a database as a vault's place. Its index is in memory alone:
// a file of it would have the notes' text in clear.
func liveSyncPlace(in *livesync.Store, settings config.Config) place {
	id := settings.VaultID
	if id == "" {
		id = settings.LiveSync.Database
	}
	return place{
		Store: in, id: id, probe: func(ctx context.Context) error { return blameDatabase(in.Probe(ctx)) }, damage: func(ctx context.Context) []string { return damaged(ctx, in) },
		state: "livesync-" + digest(databaseName(settings.LiveSync)), secret: historySecret(settings.LiveSync),
	}
}

// historySecret is what the history of a database is sealed with: the passphrase
// or, where there is none, what opens the database itself.
func historySecret(settings config.LiveSync) string {
	if settings.Passphrase != "" {
		return settings.Passphrase.Reveal()
	}
	return settings.Password.Reveal()
}
