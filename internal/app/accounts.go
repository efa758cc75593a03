package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"obsidian-mcp/internal/config"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/observe/audit"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/vault/call"
)

// accounts records every call: it puts the id of the change into the answer, and writes a line into the audit log.
type accounts struct {
	audit *audit.Log // nil if no audit log is kept
	log   *slog.Logger
}

// openAudit opens the audit log that the settings name, if any. It reports at once if the log cannot be written, before
// the first change is refused.
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

// keep wraps the tools so that their calls are recorded.
func (a accounts) keep(tools *tool.Registry) *tool.Registry {
	return tools.Around(func(called tool.Tool, next tool.Handler) tool.Handler {
		return func(ctx context.Context, args json.RawMessage) (answer tool.Answer, err error) {
			ctx, record := call.Begin(ctx, called.Name)
			started := time.Now()
			if called.Effect != tool.Reads {
				if err := a.audit.Ready(ctx); err != nil {
					_ = a.write(ctx, record, started, err) // written once the log is available again
					return tool.Answer{}, err
				}
			}
			answer, err = next(ctx, args)
			if unlogged := a.write(ctx, record, started, err); unlogged != nil && err == nil && len(record.ChangedFiles()) > 0 {
				return tool.Answer{}, unlogged
			}
			return withChange(answer, record.ChangeID()), err
		}
	})
}

// withChange adds to an answer the id by which the change can be undone.
func withChange(answer tool.Answer, id string) tool.Answer {
	if id == "" {
		return answer
	}
	meta := map[string]any{"change_id": id}
	maps.Copy(meta, answer.Meta)
	answer.Meta = meta
	answer.Hints = append(slices.Clone(answer.Hints), tool.Hint{Kind: tool.HintChange, Text: "Change " + id + "; undo_change reverts it."})
	return answer
}

// write writes a call into the audit log. If the call changed something, the line is on disk when write returns.
func (a accounts) write(ctx context.Context, record *call.Call, started time.Time, failure error) error {
	changes := auditChanges(record.ChangedFiles())
	err := a.audit.Write(context.WithoutCancel(ctx), audit.Line{
		Time: started, Client: record.Client, Token: record.Token, Tool: record.Tool, Paths: record.Paths(),
		Kind: kindOf(failure), DurationMS: time.Since(started).Milliseconds(), Changes: changes, ChangeID: record.ChangeID(),
	}, len(changes) > 0)
	if err == nil {
		return nil
	}
	a.log.Error("a call is missing from the audit log", "tool", record.Tool, "error", err.Error())
	return fault.StoreUnavailable.Errorf("the change was made, but is missing from the audit log; "+
		"further changes are refused until the log can be written").
		WithHint("undo it by its change_id, %s", record.ChangeID())
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

// reading records that a file is read by a method of the protocol. Calling done writes the line.
func (a accounts) reading(ctx context.Context, method string) (_ context.Context, done func(error)) {
	ctx, record := call.Begin(ctx, method)
	started := time.Now()
	return ctx, func(err error) { _ = a.write(ctx, record, started, err) }
}
