package app

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/text/amount"
)

// history looks at what is kept of earlier changes.
func (e *examination) history(ctx context.Context, a *app, settings config.Config) {
	if settings.History.Mode == config.HistoryOff {
		e.look("set OBSIDIAN_MCP_HISTORY=required to have them recorded", "history: off, so that changes cannot be undone")
		return
	}
	state, err := a.vault.HistoryState(ctx)
	if err != nil {
		e.failure("history", err)
		return
	}
	switch since := state.Oldest.Format("2006-01-02"); state.Changes {
	case 0:
		e.ok("history: nothing is recorded yet")
	case 1:
		e.ok("history: 1 change since %s; obsidian-mcp history lists it", since)
	default:
		e.ok("history: %s since %s in %s KB; obsidian-mcp history lists them", amount.Of(state.Changes, "change"), since, amount.Number(int(state.Bytes/1000)))
	}
	if state.Damaged > 0 {
		e.look("see whether the disk is in order", "history: damage in %s, and the changes there cannot be undone; all others can", amount.Of(state.Damaged, "place"))
	}
	if state.Foreign > 0 {
		e.look("set the passphrase of that time to see what is in them, or let them go with age", "history: sealed with another passphrase, so that it cannot be read: %s", amount.Of(state.Foreign, "file"))
	}
}

// audit tries to write the audit log.
func (e *examination) audit(ctx context.Context, a *app, settings config.Config) {
	if settings.AuditLog == "" {
		e.ok("audit: no log of calls is kept")
	} else if !system.Exists(settings.AuditLog) {
		e.newAudit(settings.AuditLog)
	} else if err := a.accounts.audit.Ready(ctx); err != nil {
		e.failure("audit", err)
	} else {
		e.ok("audit: calls are logged in %s", settings.AuditLog)
	}
}

// newAudit looks at where a log is to be that nobody has written yet.
func (e *examination) newAudit(log string) {
	folder := filepath.Dir(log)
	switch err := tryWriting(folder); {
	case errors.Is(err, fs.ErrNotExist):
		e.look("see whether that is the path you mean", "audit: the folder %s is not there, and would be made with the first call", folder)
	case err != nil:
		e.fail("set OBSIDIAN_MCP_AUDIT_LOG to a file that can be written", "audit: %s", err)
	default:
		e.ok("audit: calls will be logged in %s", log)
	}
}
