package app

import (
	"cmp"
	"context"
	"log/slog"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/doctor"
	"obsidian-mcp/internal/install/clients"
	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/format"
)

// liveSyncBackend is a vault in the database of Self-hosted LiveSync.
var liveSyncBackend = backend{
	configured: func(settings config.Config) bool { return settings.LiveSync.Configured() },
	open: func(settings config.Config, log *slog.Logger) (openedStore, error) {
		database, err := openLiveSync(settings, log)
		if err != nil {
			return openedStore{}, err
		}
		return openedLiveSync(database, settings), nil
	},
	examine: examineLiveSync,
	refuses: func(config.Config) error { return nil }, // only the database knows
	folder:  func(config.Config) (string, error) { return "", nil },
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

// openedLiveSync describes a database that has been opened. Its index stays in memory: a file of it would hold the
// notes' text in clear.
func openedLiveSync(database *livesync.Store, settings config.Config) openedStore {
	named := settings.LiveSync
	return openedStore{
		files: database, id: cmp.Or(settings.VaultID, named.Database),
		stateName: "livesync-" + digest(databaseName(named)), secret: historySecret(named),
		sharedKey: func() []byte { return sharedKey(named) },
		probe:     func(ctx context.Context) error { return doctor.ExplainDatabase(database.Probe(ctx)) },
		isFinal:   livesync.Permanent,
		inspect:   func(ctx context.Context, r *doctor.Report, _ int) { r.InspectLiveSync(ctx, database) },
		kind:      "LiveSync", location: named.URL + " (" + named.Database + ")", variables: liveSyncVariables(named),
	}
}

// examineLiveSync opens a vault in a database for doctor. It only reads: a check must not repair anything.
func examineLiveSync(ctx context.Context, r *doctor.Report, settings config.Config, begun *startup) (openedStore, bool) {
	reading := settings
	reading.ReadOnly = true
	database, ok := r.LiveSync(ctx, doctor.LiveSync{
		Settings: settings, Couch: couchOptions(settings.LiveSync), Cache: sealedCache(settings),
		Open: func() (*livesync.Store, error) { return openLiveSync(reading, begun.log) },
		Await: func(ctx context.Context, database *livesync.Store) error {
			return begun.await(ctx, openedLiveSync(database, settings), settings.CallTimeout)
		},
	})
	if !ok {
		return openedStore{}, false
	}
	return openedLiveSync(database, settings), true
}

func couchOptions(settings config.LiveSync) couch.Options {
	return couch.Options{
		URL: settings.URL, Database: settings.Database,
		User: settings.User, Password: couch.Secret(settings.Password.Reveal()),
	}
}

// liveSyncVariables name a database in a client's entry.
func liveSyncVariables(settings config.LiveSync) []clients.Variable {
	variables := []clients.Variable{
		{Name: "COUCHDB_BASE_URL", Value: settings.URL}, {Name: "COUCHDB_DATABASE_NAME", Value: settings.Database},
	}
	if settings.User != "" {
		variables = append(variables, clients.Variable{Name: "COUCHDB_USER", Value: settings.User},
			clients.Variable{Name: "COUCHDB_PASSWORD_FILE", Value: "/path/to/password"})
	}
	if settings.Passphrase != "" {
		variables = append(variables, clients.Variable{Name: "VAULT_PASSPHRASE_FILE", Value: "/path/to/passphrase"})
	}
	return variables
}

// sealedCache is the file that keeps a database's notes, encrypted; "" if the settings do not ask for it.
func sealedCache(settings config.Config) string {
	if !settings.LiveSync.Cache || settings.CacheDir == "" {
		return ""
	}
	return cacheFile(settings, databaseName(settings.LiveSync), ".sealed")
}

// databaseName identifies a database among all others.
func databaseName(settings config.LiveSync) string { return settings.URL + "\n" + settings.Database }

// historySecret seals the history of a database: the passphrase or, without one, the password of the database itself.
func historySecret(settings config.LiveSync) string {
	return cmp.Or(settings.Passphrase, settings.Password).Reveal()
}
