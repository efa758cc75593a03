package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/index"
	"obsidian-mcp/internal/vpath"
)

// examination is one run of doctor: a line for each check.
type examination struct {
	out    io.Writer
	failed bool
}

func (e *examination) ok(format string, args ...any)   { e.line("ok    ", format, args...) }
func (e *examination) warn(format string, args ...any) { e.line("look  ", format, args...) }
func (e *examination) fail(format string, args ...any) {
	e.failed = true
	e.line("FAILED", format, args...)
}

func (e *examination) line(mark, format string, args ...any) {
	fmt.Fprintf(e.out, "%s  %s\n", mark, fmt.Sprintf(format, args...))
}

// doctor checks everything that has to work, and says what to do about what
// does not.
func doctor(ctx context.Context, settings config.Config, out io.Writer) error {
	e := &examination{out: out}
	e.vault(ctx, settings)
	if e.failed {
		return errors.New("a check failed")
	}
	return nil
}

func (e *examination) vault(ctx context.Context, settings config.Config) {
	dir, err := vaultFolder(settings)
	if err != nil {
		e.fail("vault: %s", err)
		e.propose()
		return
	}
	a, err := open(settings, slog.New(slog.DiscardHandler))
	if err != nil {
		e.fail("vault: %s", err)
		return
	}
	defer a.Close()
	e.ok("vault: %s", dir)
	if _, err := os.Stat(filepath.Join(dir, ".obsidian")); err != nil {
		e.warn("settings: there is no .obsidian folder, so Obsidian's defaults are used; is this the vault's own folder?")
	} else {
		e.ok("settings: Obsidian's own are obeyed")
	}
	e.permissions(settings, dir)
	e.index(ctx, a)
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
	e.warn("set OBSIDIAN_VAULT_PATH to the folder that holds your notes")
}

// permissions tries to write where writing is needed.
func (e *examination) permissions(settings config.Config, dir string) {
	if settings.ReadOnly {
		e.ok("permissions: read-only, as set")
	} else if err := tryWriting(dir); err != nil {
		e.fail("permissions: the vault cannot be written: %s; change its owner or mode, or set OBSIDIAN_MCP_READ_ONLY=true", err)
	} else {
		e.ok("permissions: the vault can be written")
	}
	if err := os.MkdirAll(settings.StateDir, 0o700); err != nil {
		e.fail("state: %s; set OBSIDIAN_MCP_STATE_DIR to a folder that can be written", err)
	} else if err := tryWriting(settings.StateDir); err != nil {
		e.fail("state: %s; set OBSIDIAN_MCP_STATE_DIR to a folder that can be written", err)
	} else {
		e.ok("state: journals are kept in %s", settings.StateDir)
	}
	e.cache(settings)
}

// cache tells where the index is kept. Nothing depends on it but the time of
// the next start.
func (e *examination) cache(settings config.Config) {
	if settings.CacheDir == "" {
		e.ok("cache: off; each start reads all notes")
		return
	}
	err := os.MkdirAll(settings.CacheDir, 0o700)
	if err == nil {
		err = tryWriting(settings.CacheDir)
	}
	if err != nil {
		e.warn("cache: %s; each start reads all notes until OBSIDIAN_MCP_CACHE_DIR is a folder that can be written", err)
		return
	}
	e.ok("cache: the index is kept in %s", settings.CacheDir)
}

func tryWriting(dir string) error {
	file, err := os.CreateTemp(dir, ".obsidian-mcp-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	return file.Close()
}

// syncCopies are the names that sync tools give to what they could not merge.
var syncCopies = regexp.MustCompile(`(?i)\.sync-conflict-\d{8}-\d{6}|conflicted copy`)

func (e *examination) index(ctx context.Context, a *app) {
	started := time.Now()
	s, err := a.vault.Snapshot(ctx)
	if err != nil {
		e.fail("index: %s", err)
		return
	}
	notes, invalid, copies := 0, []string{}, []string{}
	twins := map[vpath.Key][]string{}
	s.Entries(func(entry *index.Entry) bool {
		if !entry.Path.IsNote() {
			return true
		}
		notes++
		if _, err := entry.Properties(); err != nil {
			invalid = append(invalid, string(entry.Path))
		}
		if syncCopies.MatchString(entry.Path.Base()) {
			copies = append(copies, string(entry.Path))
		}
		key := entry.Path.Key()
		twins[key] = append(twins[key], string(entry.Path))
		return true
	})
	e.ok("index: %d notes of %d files in %v, %d tags", notes, s.Len(), time.Since(started).Round(time.Millisecond), len(s.Tags()))
	e.list(invalid, "frontmatter that is not valid YAML, so that properties cannot be read or edited")
	e.list(copies, "conflict copies of a sync tool, to be merged by hand")
	for _, paths := range twins {
		if len(paths) > 1 {
			e.warn("twins: %s differ in case or Unicode form alone; some systems cannot hold both", strings.Join(paths, " and "))
		}
	}
	if broken := len(s.Broken()); broken > 0 {
		e.warn("links: %d lead to notes that do not exist; find_broken_links lists them", broken)
	} else {
		e.ok("links: none is broken")
	}
}

func (e *examination) list(paths []string, what string) {
	if len(paths) == 0 {
		return
	}
	shown := paths[:min(3, len(paths))]
	more := ""
	if len(paths) > len(shown) {
		more = fmt.Sprintf(" and %d more", len(paths)-len(shown))
	}
	e.warn("%d notes: %s: %s%s", len(paths), what, strings.Join(shown, ", "), more)
}
