package transport_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"obsidian-mcp/internal/surface/mcp/transport"
)

// TestMain checks that nothing is left running when the tests are done.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stub is a server with three tools: echo returns its text, waits returns when block is closed, asks asks its user.
type stub struct {
	sdk   *sdk.Server
	block chan struct{}
}

func newStub() *stub {
	s := &stub{
		sdk:   sdk.NewServer(&sdk.Implementation{Name: "stub"}, nil),
		block: make(chan struct{}),
	}
	add := func(name string, call func(context.Context, *sdk.CallToolRequest) *sdk.CallToolResult) {
		s.sdk.AddTool(&sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return call(ctx, req), nil
		})
	}
	add("echo", func(_ context.Context, req *sdk.CallToolRequest) *sdk.CallToolResult {
		var arguments struct{ Text string }
		_ = json.Unmarshal(req.Params.Arguments, &arguments)
		return text(arguments.Text)
	})
	add("waits", func(ctx context.Context, _ *sdk.CallToolRequest) *sdk.CallToolResult {
		select {
		case <-s.block:
			return text("done")
		case <-ctx.Done():
			return text("cancelled")
		}
	})
	add("asks", func(ctx context.Context, req *sdk.CallToolRequest) *sdk.CallToolResult {
		if req.Params.InputResponses["question"] != nil {
			return text("answered")
		}
		if caller, ok := transport.CallerOf(ctx); ok && !caller.CanBeAsked() {
			return text("nobody can be asked")
		}
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"question": &sdk.ElicitParams{
			Mode: "form", Message: "Go on?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
		}}}
	})
	s.sdk.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			return next(transport.WithCaller(ctx, req), method, req)
		}
	})
	return s
}

func text(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

func (s *stub) Connect(ctx context.Context, over sdk.Transport) (*sdk.ServerSession, error) {
	return s.sdk.Connect(ctx, over, nil)
}

func (s *stub) Follow(context.Context) (done func()) { return func() {} }

func (s *stub) Forget(*sdk.ServerSession) {}

func (s *stub) Writes(_ string, params json.RawMessage) bool {
	return strings.Contains(string(params), `"name":"waits"`)
}
