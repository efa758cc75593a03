package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store"
	"obsidian-mcp/internal/text/amount"
)

// Folder checks a vault in a folder that has been opened.
func (r *Report) Folder(ctx context.Context, settings config.Config, dir string, files store.Store) {
	r.ok("vault: %s", dir)
	r.obsidian(ctx, files, dir)
	r.permissions(settings, dir)
	r.indexCache(settings)
}

// obsidian reports whether Obsidian's own settings can be read.
func (r *Report) obsidian(ctx context.Context, files store.Store, dir string) {
	const file = ".obsidian/app.json"
	if _, err := inTime(func() (fs.FileInfo, error) { return os.Stat(filepath.Join(dir, ".obsidian")) }); err != nil {
		r.look("if Obsidian opens another folder, set OBSIDIAN_VAULT_PATH to that",
			"settings: there is no .obsidian folder, so Obsidian's defaults are used")
		return
	}
	app, err := files.Config(ctx, "app.json")
	if errors.Is(err, fault.NotFound) {
		r.ok("settings: Obsidian's own settings are used") // all have their defaults
		return
	}
	if err != nil {
		r.look("check that this user may read it", "settings: %s cannot be read, so Obsidian's defaults are used: %s", file, err)
		return
	}
	var content map[string]any
	if err := json.Unmarshal(app.Data, &content); err != nil {
		where := ""
		if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
			where = fmt.Sprintf(", line %d,", bytes.Count(app.Data[:min(int(wrong.Offset), len(app.Data))], []byte("\n"))+1)
		}
		r.look("fix the file, or restore an earlier version",
			"settings: %s%s is not valid JSON, so Obsidian's defaults are used", file, where)
		return
	}
	r.ok("settings: Obsidian's own settings are used")
}

// permissions tries to write into the vault.
func (r *Report) permissions(settings config.Config, dir string) {
	if settings.ReadOnly {
		r.ok("permissions: read-only, as set")
	} else if err := tryWriting(dir); err != nil {
		r.fail("change its owner or mode, or set OBSIDIAN_MCP_READ_ONLY=true",
			"permissions: the vault cannot be written: %s", err)
	} else {
		r.ok("permissions: the vault can be written")
	}
}

// indexCache reports where the index is kept. Without a cache only starts take longer.
func (r *Report) indexCache(settings config.Config) {
	if settings.CacheDir == "" {
		r.ok("cache: off; each start reads all notes")
		return
	}
	if err := tryWritingInto(settings.CacheDir); err != nil {
		r.look("set OBSIDIAN_MCP_CACHE_DIR to a folder that can be written", "cache: %s, so each start reads all notes", err)
		return
	}
	r.ok("cache: the index is kept in %s", settings.CacheDir)
}

// InspectFolder checks whether all files of a vault in a folder can be read, and all its folders watched.
func (r *Report) InspectFolder(ctx context.Context, files store.Store, folders int) {
	r.unreadable(ctx, files)
	r.watches(folders, os.ReadFile)
}

// unreadable reports folders and notes that this user may not read, so that searches miss them.
func (r *Report) unreadable(ctx context.Context, files store.Store) {
	var mu sync.Mutex // guards folders and notes
	var folders, notes []string
	err := files.Scan(ctx, func(file store.Info) bool { return file.Path.IsNote() }, func(found store.Found) {
		if found.Err == nil || errors.Is(found.Err, fault.NotFound) { // deleted meanwhile
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if found.Folder {
			folders = append(folders, string(found.Path)+"/")
		} else {
			notes = append(notes, string(found.Path))
		}
	})
	if err != nil {
		r.Failure("permissions", err)
		return
	}
	var counts []string
	if len(folders) > 0 {
		counts = append(counts, amount.Of(len(folders), "folder"))
	}
	if len(notes) > 0 {
		counts = append(counts, amount.Of(len(notes), "note"))
	}
	slices.Sort(folders)
	slices.Sort(notes)
	if len(counts) > 0 {
		r.look("change their owner or mode, or run as the user who owns them",
			"permissions: %s cannot be read: %s", strings.Join(counts, " and "), amount.Few(slices.Concat(folders, notes), 3))
	}
}

// watchLimit is where Linux says how many folders a user may watch.
const watchLimit = "/proc/sys/fs/inotify/max_user_watches"

// watches compares the number of folders in the vault with the number that the system can watch.
func (r *Report) watches(folders int, read func(string) ([]byte, error)) {
	content, err := read(watchLimit)
	if err != nil {
		return // another system, which has no such limit
	}
	most, err := strconv.Atoi(strings.TrimSpace(string(content)))
	switch {
	case err != nil:
	case folders >= most:
		r.look(fmt.Sprintf("raise it: sysctl fs.inotify.max_user_watches=%d", max(2*folders, 524288)),
			"watching: the vault has %s but the system watches %s at most, "+
				"so changes by other programs are looked for every two seconds instead",
			amount.Of(folders+1, "folder"), amount.Number(most))
	default:
		r.ok("watching: %s of at most %s", amount.Number(folders+1), amount.Of(most, "folder"))
	}
}
