package app

import (
	"context"
	"log/slog"
	"net"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/doctor"
)

// examine runs the checks of doctor on this program.
func examine(ctx context.Context, request doctor.Request) error {
	return doctor.Run(ctx, request, doctor.Program{
		Check: func(settings config.Config) error { return check(settings, silent) },
		Start: refusal,
		Open:  openForDoctor,
		Guard: func(settings config.Config) (*auth.Guard, error) { return newGuard(settings, silent) },
		Listen: func(ctx context.Context, settings config.Config) (net.Listener, error) {
			return listen(ctx, settings)
		},
	})
}

// silent is the log of a trial start.
var silent = slog.New(slog.DiscardHandler)

// refusal says why a server would not start with these settings, in the words of a real start. It leaves out the checks
// that need an open vault or an answer from a database.
func refusal(settings config.Config) error {
	if err := check(settings, silent); err != nil {
		return err
	}
	if _, err := offered(Tools(), settings, auth.Grant{}); err != nil {
		return err
	}
	return backendOf(settings).refuses(settings)
}

// openForDoctor opens the vault, but neither the audit log, whose file that would create, nor a model, which would be given all
// notes.
func openForDoctor(ctx context.Context, r *doctor.Report, settings config.Config) (doctor.Opened, bool) {
	begun := newStartup(silent)
	opened, ok := backendOf(settings).examine(ctx, r, settings, begun)
	if !ok {
		return doctor.Opened{}, false
	}
	semantic := settings.Semantic
	settings.AuditLog, settings.Semantic.Mode = "", config.SemanticOff
	a := openVault(opened, begun, settings)
	beside := a.besideChecks()
	if about, _ := aboutMeaning(semantic); about != "" {
		beside = append(beside, doctor.Check{Name: "semantic", Run: checkMeaning(semantic)})
	}
	return doctor.Opened{Vault: a.vault, Inspect: opened.inspect, Beside: beside, Close: a.Close}, true
}
