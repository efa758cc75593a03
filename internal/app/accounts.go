package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/observe/audit"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault/call"
)

// accounts has each call leave an account of itself: the id of the change that
// it made in its answer, and a line in the audit log.
type accounts struct {
	audit *audit.Log // nil: none is kept
	log   *slog.Logger
}

// openAudit opens the log that the settings name, if any. That it cannot be
// written is known before the first change is refused.
func openAudit(settings config.Config, log *slog.Logger) *audit.Log {
	if settings.AuditLog == "" {
		return nil
	}
	opened := audit.Open(settings.AuditLog, log)
	if err := opened.Ready(context.Background()); err != nil && !settings.ReadOnly {
		log.Error("writes are refused", "file", settings.AuditLog, "error", err.Error())
	}
	return opened
}

// keep is a registry whose calls are accounted for.
func (a accounts) keep(tools *tool.Registry) *tool.Registry {
	return tools.Around(func(one tool.Tool, next tool.Handler) tool.Handler {
		return func(ctx context.Context, args json.RawMessage) (answer tool.Answer, err error) {
			ctx, call := call.Begin(ctx, one.Name)
			started := time.Now()
			if one.Effect != tool.Reads {
				if err := a.audit.Ready(ctx); err != nil {
					_ = a.write(ctx, call, started, err) // it comes into the log when that is back
					return tool.Answer{}, err
				}
			}
			answer, err = next(ctx, args)
			if unlogged := a.write(ctx, call, started, err); unlogged != nil && err == nil && len(call.ChangedFiles()) > 0 {
				return tool.Answer{}, unlogged
			}
			return withChange(answer, call.ChangeID()), err
		}
	})
}

// withChange tells under which id a change can be taken back.
func withChange(answer tool.Answer, id string) tool.Answer {
	if id == "" {
		return answer
	}
	meta := map[string]any{"change_id": id}
	maps.Copy(meta, answer.Meta)
	answer.Meta = meta
	return answer
}

// write puts a call into the audit log; one that changed something for good.
func (a accounts) write(ctx context.Context, call *call.Call, started time.Time, failure error) error {
	changes := auditChanges(call.ChangedFiles())
	err := a.audit.Write(context.WithoutCancel(ctx), audit.Line{
		Time: started, Client: call.Client, Token: call.Token, Tool: call.Tool, Paths: call.Paths(), Kind: kindOf(failure),
		DurationMS: time.Since(started).Milliseconds(), Changes: changes, ChangeID: call.ChangeID(),
	}, len(changes) > 0)
	if err == nil {
		return nil
	}
	a.log.Error("a call is missing from the audit log", "tool", call.Tool, "error", err.Error())
	return fault.StoreUnavailable.Errorf("the change was made, but is missing from the audit log; further changes are refused until that can be written").
		WithHint("change_id %s takes it back", call.ChangeID())
}

func auditChanges(files []call.File) []audit.Change {
	changes := make([]audit.Change, len(files))
	for i, file := range files {
		changes[i] = audit.Change(file)
	}
	return changes
}

func kindOf(err error) string {
	switch {
	case err == nil:
		return audit.OK
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return fault.Timeout.Code()
	}
	return fault.KindOf(err).Code()
}

// reading records that a file is read as a resource. The function it returns writes the line.
func (a accounts) reading(ctx context.Context) (_ context.Context, done func(error)) {
	ctx, act := call.Begin(ctx, "resources/read")
	started := time.Now()
	return ctx, func(err error) { _ = a.write(ctx, act, started, err) }
}
