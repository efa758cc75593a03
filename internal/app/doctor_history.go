package app

import (
	"context"

	"obsidian-mcp/internal/config"
)

// history looks at what is kept of earlier changes.
func (e *examination) history(ctx context.Context, a *app, settings config.Config) {
	if settings.History.Mode == config.HistoryOff {
		e.warn("history: off; changes cannot be undone")
		return
	}
	state, err := a.vault.HistoryState(ctx)
	if err != nil {
		e.fail("history: %s", withHint(err))
		return
	}
	switch since := state.Oldest.Format("2006-01-02"); state.Changes {
	case 0:
		e.ok("history: nothing is recorded yet")
	case 1:
		e.ok("history: 1 change since %s; obsidian-mcp history lists it", since)
	default:
		e.ok("history: %d changes since %s in %d KB; obsidian-mcp history lists them", state.Changes, since, state.Bytes/1000)
	}
	if state.Damaged > 0 {
		e.warn("history: %d places are damaged; the changes there cannot be undone, all others can", state.Damaged)
	}
	if state.Foreign > 0 {
		e.warn("history: %d files were sealed with another passphrase, and cannot be read", state.Foreign)
	}
}

// audit tries to write the audit log.
func (e *examination) audit(ctx context.Context, a *app, settings config.Config) {
	if settings.AuditLog == "" {
		e.ok("audit: no log of calls is kept")
	} else if err := a.accounts.audit.Ready(ctx); err != nil {
		e.fail("audit: %s", withHint(err))
	} else {
		e.ok("audit: calls are logged in %s", settings.AuditLog)
	}
}
