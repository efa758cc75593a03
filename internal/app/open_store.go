package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/store/folder"
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
	dir, err := vaultFolder(settings)
	if err != nil {
		return place{}, err
	}
	in, err := folder.Open(dir, folder.Options{State: settings.StateDir, Log: log})
	if err != nil {
		return place{}, err
	}
	real := realFolder(dir)
	if err := outside(real, settings); err != nil {
		_ = in.Close()
		return place{}, err
	}
	return place{Store: in, id: folderID(settings, dir), cache: folderCache(settings, real), state: folder.ID(real)}, nil
}

// vaultFolder is the folder that the settings name.
func vaultFolder(settings config.Config) (string, error) {
	switch {
	case settings.VaultPath != "" && settings.Vault != "":
		found, err := config.UserRegistry().Find(settings.Vault)
		if err != nil {
			return "", err
		}
		if !sameFolder(found, settings.VaultPath) {
			return "", fault.InvalidArgument.Errorf("OBSIDIAN_VAULT_PATH and OBSIDIAN_VAULT are both set, and differ").WithHint("set one of them")
		}
		return found, nil
	case settings.VaultPath != "":
		return settings.VaultPath, nil
	case settings.Vault != "":
		return config.UserRegistry().Find(settings.Vault)
	}
	return "", fault.VaultNotFound.Errorf("OBSIDIAN_VAULT_PATH not set").
		WithHint("set it (or --vault-path) to the vault's folder, or OBSIDIAN_VAULT (--vault) to its name in Obsidian, or COUCHDB_BASE_URL and COUCHDB_DATABASE_NAME for a LiveSync vault; obsidian-mcp doctor helps to find it")
}

func sameFolder(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// folderID is the name in URIs of a vault in a folder.
func folderID(settings config.Config, dir string) string {
	if settings.VaultID != "" {
		return settings.VaultID
	}
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	return filepath.Base(dir)
}

// realFolder is a folder's own name, whatever way leads there.
func realFolder(dir string) string {
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir
}

// outside refuses to keep the history and the audit log among the notes, where
// they would be read, edited and synced with them. A hidden folder is none of
// the notes'.
func outside(dir string, settings config.Config) error {
	for name, path := range map[string]string{"OBSIDIAN_MCP_STATE_DIR": settings.StateDir, "OBSIDIAN_MCP_AUDIT_LOG": settings.AuditLog} {
		inside, err := filepath.Rel(dir, realPlace(path))
		if path == "" || err != nil || !filepath.IsLocal(inside) || strings.HasPrefix(inside, ".") && inside != "." {
			continue
		}
		return fault.InvalidArgument.Errorf("%s is inside of the vault", name).WithHint("choose a place outside of it")
	}
	return nil
}

// realPlace is the own name of a place that need not exist yet.
func realPlace(path string) string {
	real := realFolder(path)
	if _, err := os.Lstat(real); err == nil || filepath.Dir(real) == real {
		return real
	}
	return filepath.Join(realPlace(filepath.Dir(real)), filepath.Base(real))
}

// folderCache is where the index of a folder is kept: a file of its own for each
// folder.
func folderCache(settings config.Config, dir string) vault.Cache {
	if settings.CacheDir == "" {
		return vault.Cache{}
	}
	return vault.Cache{File: cacheFile(settings, dir, ".idx"), Owner: dir}
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
		Store: in, id: id, probe: in.Probe, damage: func(ctx context.Context) []string { return damaged(ctx, in) },
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
