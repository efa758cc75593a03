package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
	"obsidian-mcp/internal/wire"
)

// describe is a tool as clients see it.
func describe(one tool.Tool, style Style) *sdk.Tool {
	destroys, closed := one.Effect == tool.Destroys, false
	described := &sdk.Tool{
		Name: one.Name, Title: one.Title, Description: one.About, InputSchema: one.Input,
		Annotations: &sdk.ToolAnnotations{
			ReadOnlyHint: one.Effect == tool.Reads, DestructiveHint: &destroys,
			IdempotentHint: one.Idempotent || one.Effect == tool.Reads, OpenWorldHint: &closed,
		},
	}
	if output := outputSchema(one, style); output != nil {
		described.OutputSchema = output
	}
	return described
}

func outputSchema(one tool.Tool, style Style) *jsonschema.Schema {
	if style != Contract {
		return one.Output
	}
	data := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"text": {Type: "string"}}}
	if one.Output != nil {
		data = one.Output
		if list, isList := one.Output.Properties["result"]; isList && len(one.Output.Properties) == 1 {
			data = list
		}
	}
	return &jsonschema.Schema{
		Type: "object", Required: []string{"success", "data"}, PropertyOrder: []string{"success", "data"},
		Properties: map[string]*jsonschema.Schema{"success": {Type: "boolean"}, "data": data},
	}
}

// handler runs a tool for a client.
func (s *Server) handler(one tool.Tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		started := time.Now()
		answer, err := s.call(ctx, one, req, req.Params.Arguments)
		if needs, ok := errors.AsType[*tool.NeedsConfirm](err); ok && canAsk(ctx, req) {
			response, asked := req.Params.InputResponses[confirmInput].(*sdk.ElicitResult)
			if !asked {
				return question(needs), nil
			}
			answer, err = s.confirmed(ctx, one, req, needs, response)
		}
		kind := "ok"
		if err != nil {
			kind = fault.KindOf(err).Code()
		}
		s.observe(ctx, one.Name, kind, time.Since(started))
		if err != nil {
			return s.failure(err)
		}
		return s.success(ctx, one, req, answer, started), nil
	}
}

// observe tells of a call that has ended.
func (s *Server) observe(ctx context.Context, name, kind string, took time.Duration) {
	if s.options.Observe != nil {
		s.options.Observe(name, kind, took)
	}
	if !s.options.Log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	facts := []any{"tool", name, "kind", kind, "took", took.String()}
	if who := auth.Of(ctx); who != nil {
		facts = append(facts, "principal", who.Name)
	}
	s.options.Log.Debug("call", facts...)
}

// call runs a tool within its time.
func (s *Server) call(ctx context.Context, one tool.Tool, req *sdk.CallToolRequest, arguments json.RawMessage) (answer tool.Answer, err error) {
	if s.options.CallTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.options.CallTimeout)
		defer cancel()
	}
	answer, err = one.Call(s.withProgress(ctx, req), arguments)
	err = tool.Ended(err, s.options.CallTimeout)
	if err != nil && fault.KindOf(err) == fault.Internal {
		s.options.Log.Error("a tool failed", "tool", one.Name, "error", err.Error())
		err = fault.Internal.Errorf(fault.SeeLog)
	}
	return answer, err
}

// withProgress tells a client that asked for it how far the index is.
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

// success dresses an answer.
func (s *Server) success(ctx context.Context, one tool.Tool, req *sdk.CallToolRequest, answer tool.Answer, started time.Time) *sdk.CallToolResult {
	result := &sdk.CallToolResult{Meta: sdk.Meta{}}
	maps.Copy(result.Meta, answer.Meta)
	text := answer.Text
	if s.options.Style == Contract {
		wrapped := contractSuccess(one, answer)
		text = string(wrapped)
		result.StructuredContent = json.RawMessage(wrapped)
	} else {
		text += s.contextFor(ctx, req)
		if answer.JSON != nil {
			result.StructuredContent = answer.JSON
		}
	}
	result.Content = []sdk.Content{&sdk.TextContent{Text: text}}
	result.Meta["took_ms"] = float64(time.Since(started).Microseconds()) / 1000
	return result
}

// contractSuccess is {"success":true,"data":…}.
func contractSuccess(one tool.Tool, answer tool.Answer) []byte {
	data := []byte(answer.Text)
	if answer.JSON == nil {
		data, _ = wire.Encode(struct {
			Text string `json:"text"`
		}{answer.Text})
	}
	if one.Name == contractPrefix+"create_note" {
		data = append(data[:len(data)-1:len(data)-1], `,"created":true}`...)
	}
	return append(append([]byte(`{"success":true,"data":`), data...), '}')
}

// contractPrefix stands before every tool's name in the contract style.
const contractPrefix = "obsidian_"

// Named gives the tools the names that a style has for them.
func Named(tools *tool.Registry, style Style) *tool.Registry {
	if style != Contract {
		return tools
	}
	var named []tool.Tool
	for _, one := range tools.All() {
		one.Name = contractPrefix + one.Name
		named = append(named, one)
	}
	registry := tool.NewRegistry(named)
	for i := range named {
		named[i].About = inStyle(named[i].About, registry, style)
	}
	return registry
}

// inStyle has a text name tools as the style does.
func inStyle(text string, tools *tool.Registry, style Style) string {
	if style != Contract {
		return text
	}
	for _, one := range tools.All() {
		plain := regexp.MustCompile(`\b` + strings.TrimPrefix(one.Name, contractPrefix) + `\b`)
		text = plain.ReplaceAllString(text, one.Name)
	}
	return text
}

// failure dresses an error.
func (s *Server) failure(err error) (*sdk.CallToolResult, error) {
	kind := fault.KindOf(err)
	if s.options.Style == Contract {
		data, _ := json.Marshal(map[string]string{"errorCode": kind.Code()})
		return nil, &jsonrpc.Error{Code: contractCode(kind), Message: wording(err), Data: data}
	}
	return &sdk.CallToolResult{
		Meta: sdk.Meta{"error_code": kind.Code()}, IsError: true,
		Content: []sdk.Content{&sdk.TextContent{Text: wording(err)}},
	}, nil
}
