// Package doctor holds every check of an installation, each with its remedy: the settings, the AI clients, the vault
// and its store, the index, the history, and the server over HTTP. The command line and the web page show what it
// reports.
//
// Checks look but do not touch: they repair nothing, and leave no file behind. For everything that a start of the server
// checks, doctor calls the functions that a start calls (see Program), so that both say the same.
package doctor

import (
	"context"
	"errors"
	"net"
	"os"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/vault"
)

// Request is what a person wants to have checked.
type Request struct {
	Settings config.Config
	Source   config.Source // where the settings come from
	Entries  []Entry       // how AI clients on this machine reach the server
	Verbose  bool          // report where each setting was given
	Report   func(Finding) // receives each finding as soon as it is known
}

// Program is the program that is checked. Its functions are the ones that a start of the server calls.
type Program struct {
	// Check refuses settings that are wrong whatever the vault is.
	Check func(config.Config) error
	// Start says why a server would not start with settings, without opening the vault.
	Start func(config.Config) error
	// Open checks the store that the settings name, reports on it, and opens the vault. False means that it could
	// not be opened; the report says why.
	Open func(context.Context, *Report, config.Config) (Opened, bool)
	// Guard makes the login that the settings ask for.
	Guard func(config.Config) (*auth.Guard, error)
	// Listen opens the port that the settings name.
	Listen func(context.Context, config.Config) (net.Listener, error)
}

// Opened is a vault to look into.
type Opened struct {
	Vault *vault.Vault
	// Inspect runs the checks of this kind of store that need the index; folders is the number of folders in it.
	Inspect func(ctx context.Context, r *Report, folders int)
	Beside  []Check // of what is configured beside the vault
	Close   func() error
}

// Run checks everything. It returns an error if a check failed, or if ctx ended before all were made.
func Run(ctx context.Context, request Request, program Program) error {
	r := NewReport(ctx, request.Report)
	settings, borrowed := borrowVault(request.Settings, request.Source, request.Entries)
	r.config(settings, os.Environ(), request.Verbose)
	r.clients(request.Entries, borrowed, program.Start)
	if r.whichVault(settings, request.Entries) {
		r.vault(ctx, settings, program)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.http(ctx, settings, program)
	if r.failed {
		return errors.New("a check failed")
	}
	return nil
}

// vault checks the vault where it is stored, and then what all vaults have.
func (r *Report) vault(ctx context.Context, settings config.Config, program Program) {
	if err := settings.OneVault(); err != nil {
		r.Failure("vault", err)
		return
	}
	if err := program.Check(settings); err != nil {
		r.Failure("settings", err)
		return
	}
	opened, ok := program.Open(ctx, r, settings)
	if !ok {
		return
	}
	defer opened.Close()
	r.state(settings)
	r.history(ctx, opened.Vault, settings)
	r.audit(ctx, settings.AuditLog)
	folders := r.index(ctx, opened.Vault)
	opened.Inspect(ctx, r, folders)
	r.outside(ctx, opened.Beside)
}
