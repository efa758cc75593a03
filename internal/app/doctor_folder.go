package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
)

// folder checks a vault in a folder, and opens it.
func (e *examination) folder(ctx context.Context, settings config.Config, begun *startup) (place, bool) {
	dir, err := vaultFolder(settings)
	if err != nil {
		e.failure("vault", err)
		return place{}, false
	}
	in, err := openStore(settings, begun.log)
	if err != nil {
		e.failure("vault", err)
		return place{}, false
	}
	if err := begun.await(ctx, in, settings.CallTimeout); err != nil {
		_ = in.Close()
		e.failure("vault", err)
		return place{}, false
	}
	e.ok("vault: %s", dir)
	e.obsidian(ctx, in, dir)
	e.permissions(settings, dir)
	e.indexCache(settings)
	return in, true
}

// obsidian tells whether Obsidian's own settings can be read, so that they are
// obeyed.
func (e *examination) obsidian(ctx context.Context, in place, dir string) {
	const file = ".obsidian/app.json"
	if _, err := inTime(func() (fs.FileInfo, error) { return os.Stat(filepath.Join(dir, ".obsidian")) }); err != nil {
		e.look("if this is not the folder that Obsidian opens, set OBSIDIAN_VAULT_PATH to that", "settings: there is no .obsidian folder, so Obsidian's defaults are used")
		return
	}
	app, err := in.Config(ctx, "app.json")
	if errors.Is(err, fault.NotFound) {
		e.ok("settings: Obsidian's own are obeyed") // all are left at their defaults
		return
	}
	if err != nil {
		e.look("see whether this user may read it", "settings: %s cannot be read, so Obsidian's defaults are used: %s", file, err)
		return
	}
	var content map[string]any
	if err := json.Unmarshal(app.Data, &content); err != nil {
		place := ""
		if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
			place = fmt.Sprintf(", line %d,", bytes.Count(app.Data[:min(int(wrong.Offset), len(app.Data))], []byte("\n"))+1)
		}
		e.look("mend the file, or put back an earlier one", "settings: %s%s is not valid JSON, so Obsidian's defaults are used", file, place)
		return
	}
	e.ok("settings: Obsidian's own are obeyed")
}

// permissions tries to write into the vault.
func (e *examination) permissions(settings config.Config, dir string) {
	if settings.ReadOnly {
		e.ok("permissions: read-only, as set")
	} else if err := tryWriting(dir); err != nil {
		e.fail("change its owner or mode, or set OBSIDIAN_MCP_READ_ONLY=true", "permissions: the vault cannot be written: %s", err)
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
		e.look("set OBSIDIAN_MCP_CACHE_DIR to a folder that can be written", "cache: %s, so that each start reads all notes", err)
		return
	}
	e.ok("cache: the index is kept in %s", settings.CacheDir)
}
