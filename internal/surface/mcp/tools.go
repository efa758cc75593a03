package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// describe returns a tool as clients see it.
func describe(t tool.Tool, style Style) *sdk.Tool {
	destroys, open := t.Effect == tool.Destroys, t.IsOpenWorld()
	described := &sdk.Tool{
		Name: t.Name, Title: t.Title, Description: t.About, InputSchema: t.Input,
		Annotations: &sdk.ToolAnnotations{
			ReadOnlyHint: t.Effect == tool.Reads, DestructiveHint: &destroys,
			IdempotentHint: t.Idempotent || t.Effect == tool.Reads, OpenWorldHint: &open,
		},
	}
	if output := outputSchema(t, style); output != nil {
		described.OutputSchema = output
	}
	return described
}

func outputSchema(t tool.Tool, style Style) *jsonschema.Schema {
	if style != Contract {
		return t.Output
	}
	data := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"text": {Type: "string"}}}
	if t.Output != nil {
		data = t.Output
		if list, isList := t.Output.Properties["result"]; isList && len(t.Output.Properties) == 1 {
			data = list
		}
	}
	return &jsonschema.Schema{
		Type: "object", Required: []string{"success", "data"}, PropertyOrder: []string{"success", "data"},
		Properties: map[string]*jsonschema.Schema{"success": {Type: "boolean"}, "data": data},
	}
}

// handler runs a tool for a client.
func (s *Server) handler(t tool.Tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		started := time.Now()
		t, arguments, err := t.Resolve(req.Params.Arguments)
		var answer tool.Answer
		if err == nil {
			answer, err = s.call(ctx, t, req, arguments)
		}
		if needs, ok := errors.AsType[*tool.NeedsConfirm](err); ok && canAsk(ctx, req) {
			response, asked := req.Params.InputResponses[confirmInput].(*sdk.ElicitResult)
			if !asked {
				return question(needs), nil
			}
			answer, err = s.confirmed(ctx, t, req, arguments, needs, response)
		}
		kind := "ok"
		if err != nil {
			kind = fault.KindOf(err).Code()
		}
		s.observe(ctx, t.Name, kind, time.Since(started))
		if err != nil {
			return s.failure(answer, err)
		}
		return s.success(ctx, t, req, answer, started), nil
	}
}

// observe reports a call that has ended.
func (s *Server) observe(ctx context.Context, name, kind string, took time.Duration) {
	if s.options.Observe != nil {
		s.options.Observe(name, kind, took)
	}
	if !s.options.Log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	facts := []any{"tool", name, "kind", kind, "took", took.String()}
	if caller := auth.Of(ctx); caller != nil {
		facts = append(facts, "principal", caller.Name)
	}
	s.options.Log.Debug("call", facts...)
}

// call runs a tool within its time limit. A write whose answer the client did not receive is not made again.
func (s *Server) call(ctx context.Context, t tool.Tool, req *sdk.CallToolRequest, arguments json.RawMessage) (tool.Answer, error) {
	if t.Effect == tool.Reads {
		return s.run(ctx, t, req, arguments)
	}
	return s.repeats.once(ctx, repeatKey(ctx, req, t.Name, arguments), func() (tool.Answer, error) { return s.run(ctx, t, req, arguments) })
}

func (s *Server) run(ctx context.Context, t tool.Tool, req *sdk.CallToolRequest, arguments json.RawMessage) (answer tool.Answer, err error) {
	if s.options.CallTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.options.CallTimeout)
		defer cancel()
	}
	answer, err = t.Call(s.withProgress(ctx, req), arguments)
	err = tool.Ended(err, s.options.CallTimeout)
	if err != nil && fault.KindOf(err) == fault.Internal {
		s.options.Log.Error("a tool failed", "tool", t.Name, "error", err.Error())
		err = fault.Internal.Errorf(fault.SeeLog)
	}
	return answer, err
}

// withProgress reports to a client that asked for it how far the index is.
func (s *Server) withProgress(ctx context.Context, req *sdk.CallToolRequest) context.Context {
	token := req.Params.GetProgressToken()
	if token == nil || s.options.Progress == nil {
		return ctx
	}
	last := int64(-1)
	return s.options.Progress(ctx, func(files int64) {
		if files <= last {
			return // progress must grow
		}
		last = files
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(files), Message: fmt.Sprintf("indexed %d files", files),
		})
	})
}
