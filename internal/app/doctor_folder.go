package app

import (
	"context"
	"os"
	"path/filepath"

	"obsidian-mcp/internal/config"
)

// folder checks a vault in a folder, and opens it.
func (e *examination) folder(ctx context.Context, settings config.Config, begun *startup) (place, bool) {
	dir, err := vaultFolder(settings)
	if err != nil {
		e.fail("vault: %s", err)
		e.propose()
		return place{}, false
	}
	in, err := openStore(settings, begun.log)
	if err == nil {
		err = begun.await(ctx, in, settings.CallTimeout)
	}
	if err != nil {
		e.fail("vault: %s", withHint(err))
		return place{}, false
	}
	e.ok("vault: %s", dir)
	if _, err := os.Stat(filepath.Join(dir, ".obsidian")); err != nil {
		e.warn("settings: there is no .obsidian folder, so Obsidian's defaults are used; is this the vault's own folder?")
	} else {
		e.ok("settings: Obsidian's own are obeyed")
	}
	e.permissions(settings, dir)
	e.indexCache(settings)
	return in, true
}

// propose names the vaults that Obsidian knows.
func (e *examination) propose() {
	registry := config.UserRegistry()
	if likely, ok := registry.Likely(); ok {
		e.warn("Obsidian knows the vault '%s': set OBSIDIAN_VAULT_PATH=%s", likely.Name, likely.Path)
		return
	}
	for _, known := range registry.Vaults() {
		e.warn("Obsidian knows the vault '%s' in %s", known.Name, known.Path)
	}
	e.warn("set OBSIDIAN_VAULT_PATH to the folder that holds your notes, or COUCHDB_BASE_URL to the CouchDB of a LiveSync vault")
}

// permissions tries to write into the vault.
func (e *examination) permissions(settings config.Config, dir string) {
	if settings.ReadOnly {
		e.ok("permissions: read-only, as set")
	} else if err := tryWriting(dir); err != nil {
		e.fail("permissions: the vault cannot be written: %s; change its owner or mode, or set OBSIDIAN_MCP_READ_ONLY=true", err)
	} else {
		e.ok("permissions: the vault can be written")
	}
}

// indexCache tells where the index is kept. Nothing depends on it but the time
// of the next start.
func (e *examination) indexCache(settings config.Config) {
	if settings.CacheDir == "" {
		e.ok("cache: off; each start reads all notes")
		return
	}
	if err := tryWritingInto(settings.CacheDir); err != nil {
		e.warn("cache: %s; each start reads all notes until OBSIDIAN_MCP_CACHE_DIR is a folder that can be written", err)
		return
	}
	e.ok("cache: the index is kept in %s", settings.CacheDir)
}
