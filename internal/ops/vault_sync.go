package ops

import (
	"context"
	"strings"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/outside/vaultsync"
	"obsidian-mcp/internal/tool"
)

// VaultSync are the parameters of vault_sync.
type VaultSync struct {
	Action string `json:"action" jsonschema:"status: only look; now: send and receive changes" default:"status"`
}

// Synced is the result of vault_sync.
type Synced struct {
	tool.Meta `json:"-"`
	State     string `json:"state"`
	Ahead     *int   `json:"ahead,omitempty"`
	Behind    *int   `json:"behind,omitempty"`
	Output    string `json:"output"`
	TookMS    int64  `json:"took_ms"`
}

var vaultSync = tool.New(tool.Spec{
	Name: "vault_sync", Toolset: "sync", Title: "Sync the vault", Effect: tool.Destroys, Needs: tool.NeedsSync,
	About: "Syncs the vault with the user's other devices or server, by the git, rclone or other sync program that the user configured. " +
		"State is up_to_date, pending (something to send or receive), conflict, running or unknown. " +
		"action=now before reading what another device wrote, or after your last change. Use list_changes for what you changed yourself.",
}, (*Ops).VaultSync)

// VaultSync runs the user's sync program, or asks how things stand.
func (o *Ops) VaultSync(ctx context.Context, in VaultSync) (Synced, error) {
	var outcome vaultsync.Outcome
	var err error
	switch in.Action {
	case "status":
		o.hintAboutLastSync(ctx)
		outcome, err = o.sync.Status(ctx)
	case "now":
		outcome, err = o.sync.Now(ctx)
	default:
		return Synced{}, fault.InvalidArgument.Errorf("action must be status or now")
	}
	if err != nil {
		return Synced{}, err
	}
	if outcome.Advice != "" {
		tool.AddHint(ctx, tool.HintSuggest, "%s", outcome.Advice)
	}
	result := Synced{
		State: string(outcome.State), Ahead: outcome.Ahead, Behind: outcome.Behind,
		Output: outcome.Output, TookMS: outcome.Took.Milliseconds(),
	}
	if len(outcome.Conflicts) > 0 {
		result.Meta = tool.Meta{"conflicts": outcome.Conflicts}
	}
	return result, nil
}

// hintAboutLastSync says what a look at the present state does not show: that the last sync failed or left conflicts.
func (o *Ops) hintAboutLastSync(ctx context.Context) {
	last, ok := o.sync.Last()
	if !ok {
		return
	}
	when := last.Time.In(o.clock.zone).Format(time.DateTime)
	switch {
	case last.Error != "":
		tool.AddHint(ctx, tool.HintSuggest, "The last sync (%s) failed: %s.", when, strings.TrimSuffix(last.Error, "."))
	case len(last.Conflicts) > 0:
		tool.AddHint(ctx, tool.HintSuggest, "The last sync (%s) left conflicts in %s.", when, strings.Join(last.Conflicts[:min(5, len(last.Conflicts))], ", "))
	default:
		tool.AddHint(ctx, tool.HintSuggest, "The last sync was at %s.", when)
	}
}
