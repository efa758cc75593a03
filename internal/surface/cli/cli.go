// Package cli is the command line.
//
// Only a command's result goes to stdout. Messages go to stderr as
// "obsidian-mcp: what happened", with what to do about it on the next line.
// The exit status tells kinds of error apart (see errors.go).
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/doctor"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// Program is what the commands act on.
type Program struct {
	Tools   *tool.Registry // describes all tools; these cannot be called
	Version func() string
	// Open opens the vault. The tools it returns may be called until the closer is closed.
	Open      func(context.Context, config.Config) (*tool.Registry, io.Closer, error)
	Serve     func(context.Context, config.Config, io.Reader, io.Writer) error
	ServeHTTP func(context.Context, config.Config) error
	Health    func(ctx context.Context, settings config.Config, path string) error
	Doctor    func(context.Context, doctor.Request) error
	LiveSync  LiveSync
	// FetchModel downloads one of Models.
	FetchModel fetchFunc
	Models     string
	// Progress returns a context in which waiting for the index reports how many files have been read so far.
	Progress func(context.Context, func(files int64)) context.Context

	In         io.Reader
	Out, Err   io.Writer
	IsTerminal func() bool // whether stdin is a terminal
	Watched    func() bool // whether messages go to a terminal
	Width      func() int  // of that terminal, in columns
	Coloured   func() bool // whether the output may be coloured
	Lookup     func(variable string) (string, bool)
	Hidden     func(ctx context.Context, question string) (string, error) // asks on the terminal, without showing the answer
}

// Run runs the command line and returns the exit status.
func Run(ctx context.Context, p Program, args []string) int {
	root := p.root()
	if name, ok := calledTool(args); ok {
		if _, err := p.Tools.Find(name); err != nil {
			return p.report(root, err)
		}
	}
	root.SetArgs(p.joinBooleans(args))
	p.offerParams(root, args)
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	if ended, ok := errors.AsType[*exit](err); ok {
		return ended.status
	}
	return p.report(cmd, err)
}

// calledTool returns the tool that "call" will run.
func calledTool(args []string) (string, bool) {
	if len(args) < 2 || args[0] != "call" || strings.HasPrefix(args[1], "-") {
		return "", false
	}
	return args[1], true
}

// report prints a command's error and returns its exit status.
func (p Program) report(cmd *cobra.Command, err error) int {
	if fault.KindOf(err) == fault.Internal && isUsage(err) {
		err = fault.InvalidArgument.Errorf("%w", err).WithHint("see %s --help", cmd.CommandPath())
	}
	code := ""
	if errors.Is(err, fault.VaultNotFound) {
		code = " (" + fault.VaultNotFound.Code() + ")"
	}
	fmt.Fprintf(p.Err, "obsidian-mcp: %s%s\n", err, code)
	if hint := fault.HintOf(err); hint != "" {
		fmt.Fprintln(p.Err, hint)
	}
	return exitStatus(fault.KindOf(err))
}

// exit ends the command with a status, without printing anything more.
type exit struct{ status int }

func (e *exit) Error() string { return fmt.Sprintf("exit status %d", e.status) }

const long = `obsidian-mcp lets AI clients read, search, link and edit an Obsidian vault, with Obsidian closed.

"obsidian-mcp install" sets up the AI clients on this machine.
By hand: put it into a client's configuration as a stdio server, with the vault's folder in OBSIDIAN_VAULT_PATH
or, for a LiveSync vault, its database in COUCHDB_BASE_URL and COUCHDB_DATABASE_NAME;
or serve it over HTTP with "obsidian-mcp http".
Settings come from flags, then environment, then a config file.`

func (p Program) root() *cobra.Command {
	root := &cobra.Command{
		Use: "obsidian-mcp", Short: "an MCP server for Obsidian vaults", Long: long,
		SilenceUsage: true, SilenceErrors: true, Args: noArgs,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	version := root.Flags().BoolP("version", "v", false, "same as the version command")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case *version:
			return p.printVersion()
		case p.IsTerminal():
			return briefHelp(cmd)
		}
		return p.serve(cmd)
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usage{suggestFlag(cmd, explainValue(err))}
	})
	root.PersistentFlags().String("config", "", "config file (default: "+config.FileName+" in the user's config folder)")
	root.PersistentFlags().BoolP("quiet", "q", false,
		"print errors only: no progress, no warnings; servers log only errors unless a log level is set")
	for _, setting := range config.Settings() {
		about := fmt.Sprintf("%s [%s]", setting.About, setting.Variables[0])
		if setting.Default != "" {
			about += fmt.Sprintf(" (default %s)", setting.Default)
		}
		root.PersistentFlags().String(setting.Flag(), "", plainText(about))
		if setting.Switch {
			root.PersistentFlags().Lookup(setting.Flag()).NoOptDefVal = "true"
		}
	}
	root.AddCommand(p.stdio(), p.http(), p.health(), p.token(), p.call(), p.batch(), p.tools(), p.doctor(), p.history(),
		p.undo(), p.livesync(), p.model(), p.completion(), p.version())
	if !InContainer {
		root.AddCommand(p.install(), p.uninstall(), p.logs(), p.man())
	}
	addHelp(root)
	p.complete(root)
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})
	return root
}

func (p Program) settings(cmd *cobra.Command) (config.Config, error) {
	return config.Load(p.source(cmd))
}

// source says where a command's settings come from.
func (p Program) source(cmd *cobra.Command) config.Source {
	source := config.Source{Flags: map[string]string{}, Lookup: p.Lookup, Pipes: true}
	for _, setting := range config.Settings() {
		if flag := cmd.Root().PersistentFlags().Lookup(setting.Flag()); flag.Changed {
			source.Flags[setting.Name] = flag.Value.String()
		}
	}
	source.File, _ = cmd.Root().PersistentFlags().GetString("config")
	source.Quiet, _ = cmd.Root().PersistentFlags().GetBool("quiet")
	return source
}

func (p Program) version() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "version, commit and its date, Go version, protocol versions", Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return p.printVersion() }}
}

func (p Program) printVersion() error {
	_, err := fmt.Fprintln(p.Out, p.Version())
	return err
}

// FromOS fills in the streams and the environment of this process.
func (p Program) FromOS() Program {
	p.In, p.Out, p.Err, p.Lookup = os.Stdin, os.Stdout, os.Stderr, os.LookupEnv
	p.IsTerminal = func() bool { return term.IsTerminal(int(os.Stdin.Fd())) }
	if !InContainer {
		p.Hidden = func(ctx context.Context, question string) (string, error) {
			return readTerminal(ctx, os.Stdin, os.Stderr, question)
		}
	}
	p.Watched = func() bool { return os.Getenv("TERM") != "dumb" && term.IsTerminal(int(os.Stderr.Fd())) }
	p.Width = func() int {
		columns, _, err := term.GetSize(int(os.Stderr.Fd()))
		if err != nil || columns == 0 {
			return 80
		}
		return columns
	}
	p.Coloured = func() bool {
		_, plain := os.LookupEnv("NO_COLOR")
		return !plain && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(os.Stdout.Fd()))
	}
	return p
}
