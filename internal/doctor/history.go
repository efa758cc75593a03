package doctor

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/observe/audit"
	"obsidian-mcp/internal/system"
	"obsidian-mcp/internal/text/amount"
	"obsidian-mcp/internal/vault"
)

// history looks at the recorded changes.
func (r *Report) history(ctx context.Context, notes *vault.Vault, settings config.Config) {
	if settings.History.Mode == config.HistoryOff {
		r.look("set OBSIDIAN_MCP_HISTORY=required to have them recorded", "history: off, so changes cannot be undone")
		return
	}
	state, err := notes.HistoryState(ctx)
	if err != nil {
		r.Failure("history", err)
		return
	}
	switch since := state.Oldest.Format(time.DateOnly); state.Changes {
	case 0:
		r.ok("history: nothing is recorded yet")
	case 1:
		r.ok("history: 1 change since %s; obsidian-mcp history lists it", since)
	default:
		r.ok("history: %s since %s in %s KB; obsidian-mcp history lists them",
			amount.Of(state.Changes, "change"), since, amount.Number(int(state.Bytes/1000)))
	}
	if state.Damaged > 0 {
		r.look("check the disk for errors",
			"history: damaged in %s; the changes there cannot be undone, all others can", amount.Of(state.Damaged, "place"))
	}
	if state.Newer > 0 {
		r.look("update this program to see and undo the changes there; it leaves the files alone",
			"history: written by a newer version of obsidian-mcp: %s", amount.Of(state.Newer, "file"))
	}
	if state.Foreign > 0 {
		r.look("set the earlier passphrase to read them, or let them expire",
			"history: sealed with another passphrase, so they cannot be read: %s", amount.Of(state.Foreign, "file"))
	}
}

// audit tries to write the audit log.
func (r *Report) audit(ctx context.Context, file string) {
	switch {
	case file == "":
		r.ok("audit: no log of calls is kept")
	case !system.Exists(file): // opening the log would create it
		r.newAudit(file)
	default:
		log := audit.Open(file, slog.New(slog.DiscardHandler))
		defer log.Close()
		if err := log.Ready(ctx); err != nil {
			r.Failure("audit", err)
			return
		}
		r.ok("audit: calls are logged in %s", file)
	}
}

// newAudit looks at the folder of an audit log that does not exist yet.
func (r *Report) newAudit(file string) {
	folder := filepath.Dir(file)
	switch err := tryWriting(folder); {
	case errors.Is(err, fs.ErrNotExist):
		r.look("check that this is the path you mean",
			"audit: the folder %s does not exist; the first call would create it", folder)
	case err != nil:
		r.fail("set OBSIDIAN_MCP_AUDIT_LOG to a file that can be written", "audit: %s", err)
	default:
		r.ok("audit: calls will be logged in %s", file)
	}
}
