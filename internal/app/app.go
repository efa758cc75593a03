// Package app puts the program together: it opens the store that the settings name, the vault in it and the tools of
// the vault, and serves them over stdio or HTTP. What it opens it also closes.
//
// The kinds of stores are the rows of backends. Checks and their remedies are in package doctor.
package app

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/doctor"
	"obsidian-mcp/internal/note/vpath"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/outside/embedding"
	"obsidian-mcp/internal/outside/obsidian"
	"obsidian-mcp/internal/surface/cli"
	"obsidian-mcp/internal/surface/mcp"
	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// Main runs the program and returns its exit status.
func Main() int {
	time.Local = system.LocalZone() // in the image, which has no database of zones, package time does not know that of TZ
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	return cli.Run(ctx, Program().FromOS(), os.Args[1:])
}

// Program gives the command line the functions that it runs.
func Program() cli.Program {
	return cli.Program{
		Tools: Tools(), Version: version, Open: openTools, Serve: serve, ServeHTTP: serveHTTP,
		Health: func(ctx context.Context, settings config.Config, path string) error {
			return doctor.Health(ctx, settings.HTTP, path)
		},
		Doctor: examine, LiveSync: liveSyncCommands(), Progress: vault.WithProgress,
		FetchModel: embedding.Fetch, Models: embedding.Names(),
	}
}

// Tools lists all tools to describe them; they cannot be called.
func Tools() *tool.Registry { return tool.NewRegistry(tool.Bind[*ops.Ops](nil, ops.All())) }

// app is an open vault with the options of its tools.
type app struct {
	start    *startup
	store    openedStore
	vault    *vault.Vault
	options  ops.Options
	accounts accounts

	stopSyncing context.CancelFunc // ends the syncs that run by themselves; nil if there are none
	syncing     sync.WaitGroup

	obsidian *obsidian.App // nil if the settings do not use the app
}

// Close closes the vault.
func (a *app) Close() error {
	a.start.end()
	a.endSync()
	return errors.Join(a.vault.Close(), a.accounts.audit.Close())
}

// open opens the vault that the settings name for a server: it does not wait for a database.
func open(settings config.Config, log *slog.Logger) (*app, error) {
	if err := check(settings, log); err != nil {
		return nil, err
	}
	begun := newStartup(log)
	opened, err := openStore(settings, begun.log)
	if err != nil {
		return nil, err
	}
	begun.begin(opened)
	a := openVault(opened, begun, settings)
	a.keepSynced(settings.Outside)
	return a, nil
}

// check refuses settings that are wrong whatever the vault is.
func check(settings config.Config, log *slog.Logger) error {
	if _, err := Tools().Toolsets(settings.Toolsets); err != nil {
		return settings.Blame("toolsets", err)
	}
	for _, name := range config.Unknown(os.Environ()) {
		log.Warn("an unknown setting is ignored", "variable", name)
	}
	return cmp.Or(checkSemantic(settings), checkSync(settings))
}

// openVault opens the vault in a store. Closing the app closes the store.
func openVault(opened openedStore, begun *startup, settings config.Config) *app {
	zone, zoneSource := userZone(settings)
	open := vault.Open(opened.files, begun.log, vaultOptions(opened, settings, begun.log))
	a := &app{
		start: begun, store: opened, vault: open,
		options: ops.Options{
			Sync:      openSync(opened, open, settings, begun.log),
			TagPolicy: ops.TagPolicy(settings.TagPolicy), TagRules: tagRules(settings),
			ConfirmOver: settings.ConfirmOver, Secret: confirmKey(opened, settings.StateDir), VaultID: opened.id,
			ReadLimit: settings.ReadLimit, MaxUpload: maxUpload, Zone: zone, ZoneSource: zoneSource,
			Decisions: decisions(settings.Outside),
		},
		accounts: accounts{audit: openAudit(settings, begun.log), log: begun.log},
	}
	a.useObsidian(settings)
	return a
}

// maxUpload is the size in bytes of the largest file that a client may send: base64 makes it a third larger, and then it
// fills the largest request that is accepted by default.
const maxUpload = 3 << 20

// offer is what callers with the same rights get: their view of the vault, and the tools that they may call.
type offer struct {
	small bool // few tools are shown, which reach the others
	view  *vault.View
	bound *ops.Ops
	files *resource.Catalog
	tools *tool.Registry
}

func (a *app) offer(settings config.Config, granted auth.Grant) (offer, error) {
	view := a.vault.View(granted.Scope)
	bound, tools := ops.New(view, a.options)
	tools, err := offered(a.accounts.keep(tools), settings, granted)
	files := resource.New(view, resource.Options{
		VaultID: a.options.VaultID, Reading: a.accounts.reading, Prompts: vpath.Path(settings.Prompts), Log: a.accounts.log,
		Now: func() time.Time { return time.Now().In(a.options.Zone) },
	})
	small := tool.IsSmall(settings.Toolsets) || slices.Contains(granted.Toolsets, tool.SmallSet)
	return offer{small, view, bound, files, tools}, err
}

// serverOptions are the options of the MCP server for the callers of an offer.
func (a *app) serverOptions(settings config.Config, to offer, log *slog.Logger) mcp.Options {
	style := mcp.Style(settings.Style)
	tools := mcp.Named(to.tools, style)
	to.bound.Offer(tools)
	if to.small {
		tools = mcp.Named(to.tools.Small(), style)
	}
	options := mcp.Options{
		Version: moduleVersion(), Tools: tools, Style: style, Context: to.files.Context, Append: settings.Context,
		Progress: vault.WithProgress, CallTimeout: settings.CallTimeout, Log: log,
	}
	if to.readsFiles() {
		options.Resources = to.files
		if settings.Prompts != "" {
			options.Prompts = to.files
		}
	}
	return options
}

// readsFiles reports whether callers may read whole files, as the toolsets notes and find do.
func (o offer) readsFiles() bool {
	return len(o.tools.Only(func(t tool.Tool) bool { return t.Toolset == "find" || t.Toolset == "notes" }).All()) > 0
}

func tagRules(settings config.Config) []ops.TagRule {
	if settings.TagRules == nil {
		return ops.DefaultTagRules
	}
	rules := make([]ops.TagRule, len(settings.TagRules))
	for i, rule := range settings.TagRules {
		rules[i] = ops.TagRule(rule)
	}
	return rules
}

// openTools opens the vault for the command line, where a database that does not answer is the command's failure.
func openTools(ctx context.Context, settings config.Config) (*tool.Registry, io.Closer, error) {
	log := commandLogger(settings)
	if err := check(settings, log); err != nil {
		return nil, nil, err
	}
	begun := newStartup(log)
	opened, err := openStore(settings, begun.log)
	if err != nil {
		return nil, nil, err
	}
	if err := begun.await(ctx, opened, settings.CallTimeout); err != nil {
		_ = opened.files.Close()
		return nil, nil, err
	}
	a := openVault(opened, begun, settings)
	a.options.MaxUpload, a.options.ReadLimit = ops.MaxUpload, 0 // a shell has no context window to protect
	_, tools := ops.New(a.vault.Whole(), a.options)
	return usable(a.accounts.keep(tools), settings, auth.Grant{}), a, nil
}

// serve serves the vault to one client.
func serve(ctx context.Context, settings config.Config, in io.Reader, out io.Writer) error {
	log := logger(settings)
	a, err := open(settings, log)
	if err != nil {
		return err
	}
	defer a.Close()
	to, err := a.offer(settings, auth.Grant{})
	if err != nil {
		return err
	}
	options := a.serverOptions(settings, to, log)
	return a.start.guard(ctx, func(ctx context.Context) error {
		client := transport.Stdio{In: in, Out: out, Grace: settings.CallTimeout + 5*time.Second}
		return client.Serve(ctx, mcp.New(options))
	})
}

// commandLogger is for commands whose answer is all that a person wants to see.
func commandLogger(settings config.Config) *slog.Logger {
	if settings.LogLevel == "info" {
		settings.LogLevel = "warn"
	}
	return logger(settings)
}

// logger writes to stderr: stdout belongs to the protocol.
func logger(settings config.Config) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(settings.LogLevel))
	options := &slog.HandlerOptions{Level: level}
	if settings.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options))
}
