package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
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

// vault checks the vault where it is, and then what all vaults have.
func (e *examination) vault(ctx context.Context, settings config.Config) {
	begun := newStartup(slog.New(slog.DiscardHandler))
	err := settings.OneVault()
	if err == nil {
		err = check(settings, begun.log)
	}
	if err != nil {
		e.fail("vault: %s", withHint(err))
		return
	}
	examine := e.folder
	if settings.LiveSync.Configured() {
		examine = e.liveSync
	}
	in, ok := examine(ctx, settings, begun)
	if !ok {
		return
	}
	a := openVault(in, begun, settings)
	defer a.Close()
	e.state(settings)
	e.history(ctx, a, settings)
	e.audit(ctx, a, settings)
	e.index(ctx, a)
	if in.damage != nil {
		e.list(in.damage(ctx), "cannot be read; obsidian-mcp livesync verify says why")
	}
}

// withHint is an error and what to do about it, in one line.
func withHint(err error) string {
	if hint := fault.HintOf(err); hint != "" {
		return err.Error() + "; " + hint
	}
	return err.Error()
}

// state tries to write where journals and keys are kept.
func (e *examination) state(settings config.Config) {
	if err := tryWritingInto(settings.StateDir); err != nil {
		e.fail("state: %s; set OBSIDIAN_MCP_STATE_DIR to a folder that can be written", err)
		return
	}
	e.ok("state: kept in %s", settings.StateDir)
}

// tryWritingInto tries to write into a folder, which is made if need be.
func tryWritingInto(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return tryWriting(dir)
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
	notes := "notes"
	if len(paths) == 1 {
		notes = "note"
	}
	e.warn("%d %s: %s: %s%s", len(paths), notes, what, strings.Join(shown, ", "), more)
}
