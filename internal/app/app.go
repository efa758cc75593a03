// Package app puts the program together: settings make a store, a store a
// vault, a vault tools, and tools are served.
package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"obsidian-mcp/internal/auth"
	"obsidian-mcp/internal/cli"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/mcp"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/store/folder"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault"
)

// Main runs the program and gives its exit status.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	return cli.Run(ctx, Program().FromOS(), os.Args[1:])
}

// Program is what the command line acts on.
func Program() cli.Program {
	return cli.Program{Tools: Tools(), Version: version, Open: openTools, Serve: serve, ServeHTTP: serveHTTP, Health: health, Doctor: doctor}
}

// Tools lists all tools, for what they are; they cannot be called.
func Tools() *tool.Registry { return tool.NewRegistry(tool.Bind[*ops.Ops](nil, ops.All())) }

// app is an open vault, and how its tools behave.
type app struct {
	vault   *vault.Vault
	options ops.Options
}

func (a *app) Close() error { return a.vault.Close() }

// open opens the vault that the settings name.
func open(settings config.Config, log *slog.Logger) (*app, error) {
	dir, err := vaultFolder(settings)
	if err != nil {
		return nil, err
	}
	if _, err := Tools().Toolsets(settings.Toolsets); err != nil {
		return nil, err
	}
	for _, name := range config.Unknown(os.Environ()) {
		log.Warn("an unknown setting is ignored", "variable", name)
	}
	store, err := folder.Open(dir, folder.Options{State: settings.StateDir, Log: log})
	if err != nil {
		return nil, err
	}
	a := &app{vault: vault.OpenCached(store, log, cacheOf(settings, dir))}
	a.options = ops.Options{
		TagPolicy: ops.TagPolicy(settings.TagPolicy), TagRules: tagRules(settings),
		ConfirmOver: settings.ConfirmOver, Secret: secret(settings.StateDir), VaultID: vaultID(settings, dir),
	}
	return a, nil
}

// serverOptions are those of a server for callers with the same rights, which
// has its own view of the vault.
func (a *app) serverOptions(settings config.Config, granted auth.Grant, log *slog.Logger) (mcp.Options, error) {
	bound, tools := ops.New(a.vault.View(granted.Scope), a.options)
	tools, err := offered(tools, settings, granted)
	if err != nil {
		return mcp.Options{}, err
	}
	style := mcp.Style(settings.Style)
	tools = mcp.Named(tools, style)
	bound.Offer(tools)
	options := mcp.Options{
		Version: moduleVersion(), Tools: tools, Style: style, Context: bound.Context, Append: settings.Context,
		Progress: vault.WithProgress, CallTimeout: settings.CallTimeout, Log: log,
	}
	if len(tools.Only(func(t tool.Tool) bool { return t.Toolset == "find" || t.Toolset == "notes" }).All()) > 0 {
		options.Resources = bound // they read whole files, as these toolsets do
	}
	return options, nil
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
		WithHint("set it (or --vault-path) to the vault's folder, or OBSIDIAN_VAULT (--vault) to its name in Obsidian; obsidian-mcp doctor helps to find it")
}

// vaultID is the vault's name in URIs.
func vaultID(settings config.Config, dir string) string {
	if settings.VaultID != "" {
		return settings.VaultID
	}
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	return filepath.Base(dir)
}

// cacheOf is where the index of a folder is kept: a file of its own for each
// folder, whatever way leads there.
func cacheOf(settings config.Config, dir string) vault.Cache {
	if settings.CacheDir == "" {
		return vault.Cache{}
	}
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	name := sha256.Sum256([]byte(dir))
	return vault.Cache{File: filepath.Join(settings.CacheDir, hex.EncodeToString(name[:12])+".idx"), Owner: dir}
}

func sameFolder(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
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

// secret is what confirmation ids are signed with, the same for all processes
// of a user. Where it cannot be kept, ids hold in this process alone.
func secret(stateDir string) []byte {
	name := filepath.Join(stateDir, "confirm.key")
	if kept, err := os.ReadFile(name); err == nil && len(kept) == 32 {
		return kept
	}
	fresh := make([]byte, 32)
	rand.Read(fresh)
	if os.MkdirAll(stateDir, 0o700) == nil {
		_ = os.WriteFile(name, fresh, 0o600)
	}
	return fresh
}

// openTools opens the vault for the command line.
func openTools(_ context.Context, settings config.Config) (*tool.Registry, io.Closer, error) {
	if settings.LogLevel == "info" {
		settings.LogLevel = "warn" // a person wants the answer alone
	}
	a, err := open(settings, logger(settings))
	if err != nil {
		return nil, nil, err
	}
	_, tools := ops.New(a.vault.Whole(), a.options)
	if settings.ReadOnly {
		tools = tools.Only(func(t tool.Tool) bool { return t.Effect == tool.Reads })
	}
	return tools, a, nil
}

// serve serves the vault to one client.
func serve(ctx context.Context, settings config.Config, in io.Reader, out io.Writer) error {
	log := logger(settings)
	a, err := open(settings, log)
	if err != nil {
		return err
	}
	defer a.Close()
	options, err := a.serverOptions(settings, auth.Grant{}, log)
	if err != nil {
		return err
	}
	return mcp.New(options).ServeStdio(ctx, in, out)
}

// logger writes to stderr alone.
func logger(settings config.Config) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(settings.LogLevel))
	options := &slog.HandlerOptions{Level: level}
	if settings.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options))
}
