package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/store/patient"
	"obsidian-mcp/internal/surface/cli"
	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/text/visible"
)

// examination is one run of doctor: a line for each check.
type examination struct {
	out     io.Writer
	paint   func(mark, text string) string // nil: nothing is painted
	verbose bool
	quiet   bool // what is in order is not told
	failed  bool

	interrupted func() bool // what fails then is no failure; nil: never
}

func (e *examination) ok(format string, args ...any) {
	if !e.quiet {
		e.line(cli.MarkOK, format, args...)
	}
}

// look tells of what a person should look at, and what can be done about it.
func (e *examination) look(todo, format string, args ...any) {
	e.line(cli.MarkLook, format+"; %s", append(args, todo)...)
}

// fail tells of what does not work, and what to do about it.
func (e *examination) fail(todo, format string, args ...any) {
	e.failed = true
	e.line(cli.MarkFailed, format+"; %s", append(args, todo)...)
}

// failure tells of an error that says itself what to do; one that does not is
// met with what helps to find out more.
func (e *examination) failure(check string, err error) {
	e.fail(adviceOf(err), "%s: %s", check, err)
}

func (e *examination) line(mark, format string, args ...any) {
	if e.interrupted != nil && e.interrupted() {
		return
	}
	text := visible.Line(strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " "))
	shown := fmt.Sprintf("%-6s", mark)
	if e.paint != nil {
		shown = e.paint(mark, shown)
	}
	fmt.Fprintf(e.out, "%s  %s\n", shown, text)
}

// adviceOf is what to do about an error.
func adviceOf(err error) string {
	return cmp.Or(fault.HintOf(err), "LOG_LEVEL=debug obsidian-mcp call list_notes tells more")
}

// doctor checks everything that has to work, and says what to do about what
// does not.
func doctor(ctx context.Context, settings config.Config, asked cli.Examination) error {
	e := &examination{out: asked.Out, paint: asked.Paint, verbose: asked.Verbose, quiet: asked.Quiet}
	e.interrupted = func() bool { return ctx.Err() != nil }
	e.config(settings, os.Environ())
	e.clients(asked)
	if e.whichVault(settings, asked) {
		e.vault(ctx, settings)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e.http(ctx, settings)
	if e.failed {
		return errors.New("a check failed")
	}
	return nil
}

// vault checks the vault where it is, and then what all vaults have.
func (e *examination) vault(ctx context.Context, settings config.Config) {
	begun := newStartup(slog.New(slog.DiscardHandler))
	if err := settings.OneVault(); err != nil {
		e.failure("vault", err)
		return
	}
	if err := check(settings, begun.log); err != nil {
		e.failure("settings", err)
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
	opened := settings
	if !system.Exists(settings.AuditLog) {
		opened.AuditLog = "" // to look is not to make one
	}
	a := openVault(in, begun, opened)
	defer a.Close()
	e.state(settings)
	e.history(ctx, a, settings)
	e.audit(ctx, a, settings)
	folders := e.index(ctx, a)
	if !settings.LiveSync.Configured() {
		e.closed(ctx, in)
		e.watches(folders, os.ReadFile)
	}
	if in.damage != nil {
		e.list(in.damage(ctx), "cannot be read", "obsidian-mcp livesync verify says why")
	}
}

// state tries to write where journals and keys are kept.
func (e *examination) state(settings config.Config) {
	if err := tryWritingInto(settings.StateDir); err != nil {
		e.fail("set OBSIDIAN_MCP_STATE_DIR to a folder that can be written", "state: %s", err)
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
	_, err := inTime(func() (struct{}, error) {
		file, err := os.CreateTemp(dir, ".obsidian-mcp-*.tmp")
		if err != nil {
			return struct{}{}, err
		}
		defer os.Remove(file.Name())
		return struct{}{}, file.Close()
	})
	return err
}

// inTime asks the system about a folder that may be on a drive which never
// answers.
func inTime[T any](ask func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	got := make(chan answer, 1)
	go func() {
		value, err := ask()
		got <- answer{value, err}
	}()
	select {
	case a := <-got:
		return a.value, a.err
	case <-time.After(patient.Limit):
		var nothing T
		return nothing, errors.New("the folder does not answer; is it on a network drive or an unplugged disk?")
	}
}
