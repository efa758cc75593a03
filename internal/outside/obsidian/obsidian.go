// Package obsidian talks to the Obsidian app on this machine through its official command line program: it asks what the
// app shows, opens files and searches in it, and runs its commands.
//
// It promises that nothing but Open and Search starts the app, that every call ends in time, and that the app acts on the
// vault that the App was made for or not at all. It does not decide who may do what: callers check command ids against
// their own list.
package obsidian

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/system/child"
)

// Options say which program to run, and for which vault.
type Options struct {
	Program     string // the command line program; "" to look for it
	Vault       Vault
	Environment []string      // of the program; it must not hold secrets
	Timeout     time.Duration // of one run of the program; default 10 s
}

// App is the Obsidian app, as far as it concerns one vault.
type App struct {
	options Options

	system   string                       // runtime.GOOS
	lookPath func(string) (string, error) // finds a program
	pipes    func() []string              // the named pipes of Windows
}

// New returns the app. It need not be running, or even be installed.
func New(options Options) *App {
	if options.Timeout == 0 {
		options.Timeout = 10 * time.Second
	}
	return &App{options: options, system: runtime.GOOS, lookPath: exec.LookPath, pipes: namedPipes}
}

// State is what the app shows.
type State struct {
	Running bool
	Version string
	Vault   string // the name of the vault; "" if the app does not know it; the folder of another vault if it answered for that
	Active  string // path of the active file
	Tabs    []string
	Recent  []string // paths
	Problem error    // why there is no more to say; nil if all is well
}

// Status asks what the app shows. An app that is not running is not an error.
func (a *App) Status(ctx context.Context) (State, error) {
	if _, err := a.Program(); err != nil && a.options.Program != "" {
		return State{}, err // a mistake in the config file
	}
	line, err := a.connect()
	if errors.Is(err, fault.ObsidianNotRunning) {
		return State{Problem: err}, nil
	}
	if err != nil {
		return State{}, err
	}
	otherVault, err := line.confirm(ctx)
	switch {
	case ctx.Err() != nil:
		return State{}, ctx.Err()
	case errors.Is(err, fault.ObsidianNotRunning):
		return State{Problem: err}, nil
	case err != nil:
		state := State{Running: true, Vault: otherVault, Problem: err}
		state.Version, _ = line.version(ctx)
		return state, ctx.Err()
	}
	return line.fill(ctx, State{Running: true, Vault: a.options.Vault.name()})
}

// fill asks for everything that the app shows. What it cannot say stays empty; after a time-out nothing more is asked.
func (l line) fill(ctx context.Context, state State) (State, error) {
	for _, ask := range []func(context.Context) error{
		func(ctx context.Context) (err error) { state.Version, err = l.version(ctx); return err },
		func(ctx context.Context) (err error) { state.Active, err = l.activeFile(ctx); return err },
		func(ctx context.Context) (err error) { state.Tabs, err = l.list(ctx, "tabs"); return err },
		func(ctx context.Context) (err error) { state.Recent, err = l.list(ctx, "recents"); return err },
	} {
		if err := ask(ctx); errors.Is(err, fault.ObsidianNotRunning) || errors.Is(err, fault.Timeout) || ctx.Err() != nil {
			break
		}
	}
	return state, ctx.Err()
}

func (l line) version(ctx context.Context) (string, error) {
	answer, err := l.run(ctx, "version")
	at := slices.IndexFunc(answer, func(text string) bool { return text[0] >= '0' && text[0] <= '9' })
	if at < 0 {
		return "", err
	}
	return answer[at], err
}

// activeFile returns the path in the answer to "file", which is lines of a key and a value.
func (l line) activeFile(ctx context.Context) (string, error) {
	answer, err := l.run(ctx, "file")
	for _, text := range answer {
		if value, ok := strings.CutPrefix(text, "path"); ok && strings.TrimLeft(value, " \t") != value {
			return strings.TrimSpace(value), err
		}
	}
	return "", err
}

// maxListed is how many entries of a list are kept, and maxEntry the length in bytes of the longest.
const (
	maxListed = 100
	maxEntry  = 1000
)

// list returns the lines of an answer.
func (l line) list(ctx context.Context, command string) ([]string, error) {
	answer, err := l.run(ctx, command)
	answer = slices.DeleteFunc(answer, func(text string) bool { return len(text) > maxEntry || saysNone.MatchString(text) })
	return answer[:min(maxListed, len(answer))], err
}

// File is a file to open.
type File struct {
	Path   string // in the vault
	Part   string // a heading, or ^ and the id of a block; only a link leads there
	NewTab bool
}

// Open shows a file in the app. It starts the app if the program does so.
func (a *App) Open(ctx context.Context, file File) error {
	arguments := []string{"open", "path=" + file.Path}
	if file.NewTab {
		arguments = append(arguments, "newtab")
	}
	return a.show(ctx, arguments)
}

// Search shows the results of a search in the app. It starts the app if the program does so.
func (a *App) Search(ctx context.Context, query string) error {
	return a.show(ctx, []string{"search:open", "query=" + query})
}

func (a *App) show(ctx context.Context, arguments []string) error {
	if err := checkArguments(arguments); err != nil {
		return err
	}
	line, err := a.connectOrStart()
	if err != nil {
		return err
	}
	if _, err := line.confirm(ctx); err != nil {
		return err
	}
	_, err = line.run(ctx, arguments...)
	return err
}

// Command runs a command of the app by its id, and returns what the program printed.
func (a *App) Command(ctx context.Context, id string) (string, error) {
	arguments := []string{"command", "id=" + id}
	if err := checkArguments(arguments); err != nil {
		return "", err
	}
	line, err := a.connect()
	if err != nil {
		return "", err
	}
	if _, err := line.confirm(ctx); err != nil {
		return "", err
	}
	answer, err := line.run(ctx, arguments...)
	return strings.Join(answer, "\n"), err
}

// checkArguments refuses what cannot be passed: the program takes a backslash for the beginning of an escape, and puts a
// line break or a tab where it says so.
func checkArguments(arguments []string) error {
	for _, argument := range arguments {
		key, value, _ := strings.Cut(argument, "=")
		if strings.ContainsFunc(value, func(r rune) bool { return r == '\\' || r < ' ' || r == 0x7f }) {
			return fault.InvalidArgument.Errorf("the %s '%s' contains a backslash or a control character, which Obsidian's command line program cannot take", key, value)
		}
	}
	return nil
}

// line is a way to run the program for the vault.
type line struct {
	app         *App
	program     string
	vault       string // its name or id, as the program knows it
	environment []string
	mayStart    bool // the program may start the app, which then stays
}

// confirm makes sure that the app answers, and not for another vault. If it does, the folder of that one is returned with
// the error. An answer that names no folder proves nothing; the program was told which vault is meant.
func (l line) confirm(ctx context.Context) (otherVault string, err error) {
	answer, err := l.run(ctx, "vault", "info=path")
	if err != nil {
		return "", err
	}
	if len(answer) == 0 {
		return "", notRunning("Obsidian did not answer")
	}
	folder := l.app.options.Vault.Folder
	isOurs := func(other string) bool { return other == folder || system.SameFile(other, folder) }
	if folder == "" || slices.ContainsFunc(answer, isOurs) {
		return "", nil
	}
	at := slices.IndexFunc(answer, filepath.IsAbs)
	if at < 0 {
		return "", nil
	}
	otherVault = answer[at]
	return otherVault, fault.VaultNotFound.Errorf("Obsidian answers for the vault in '%s', not for '%s'", otherVault, folder).
		WithHint("open '%s' as a vault in Obsidian", folder)
}

// maxOutput is how many bytes of the program's output are read.
const maxOutput = 1 << 20

// run runs a command and returns the lines of the answer.
func (l line) run(ctx context.Context, arguments ...string) ([]string, error) {
	result, err := child.Run(ctx, child.Command{
		Args: append([]string{l.program, "vault=" + l.vault}, arguments...), Dir: l.app.options.Vault.Folder,
		Environment: l.environment, Timeout: l.app.options.Timeout, MaxOutput: maxOutput, Leaves: l.mayStart,
	})
	return l.read(arguments[0], result, err)
}

// read returns the lines of an answer, or the error that it reports.
func (l line) read(command string, result child.Result, err error) ([]string, error) {
	everything := answerLines(result.Both)
	switch {
	case errors.Is(err, child.ErrTimeout) && len(everything) > 0:
		return nil, fault.Timeout.Errorf("Obsidian did not finish '%s' within %v", command, l.app.options.Timeout)
	case errors.Is(err, child.ErrTimeout):
		return nil, notRunning("'%s' did not answer within %v", l.program, l.app.options.Timeout).
			WithHint("start Obsidian; if that program is the app itself, set app_program in the config file to obsidian-cli")
	case errors.Is(err, child.ErrNotFound):
		return nil, l.app.cannotRun(l.program, err)
	case err != nil:
		return nil, err
	}
	if err := failureIn(everything); err != nil {
		return nil, err
	}
	return answerLines(result.Stdout), nil
}

// notRunning is the error if the app cannot be reached.
func notRunning(format string, args ...any) *fault.Error {
	return fault.ObsidianNotRunning.Errorf(format, args...).WithHint("start Obsidian on the machine where this server runs")
}
