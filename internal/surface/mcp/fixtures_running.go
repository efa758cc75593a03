//go:build conformance

//lint:file-ignore SA1019 the protocol and its suite still contain what is deprecated

package mcp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addRunningFixtures adds the tools that send something while they run.
func addRunningFixtures(to *sdk.Server) {
	addFixtures(to, []fixture{
		{name: "test_tool_with_logging", about: "Logs three times.", call: logs("Tool execution started", "Tool processing data", "Tool execution completed")},
		{name: "test_logging_tool", about: "Logs, if the request wants it.", call: logs("Tool called")},
		{name: "test_tool_with_progress", about: "Reports its progress.", call: progresses},
		{name: "test_reconnection", about: "Makes the client reconnect for the answer.", call: reconnects},
		{name: "test_missing_capability", about: "Needs a client that can sample.", call: needsSampling},
	})
}

// moment is how long these tools pause between messages.
const moment = 50 * time.Millisecond

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func logs(lines ...string) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		for i, line := range lines {
			if i > 0 {
				if err := pause(ctx, moment); err != nil {
					return nil, err
				}
			}
			if err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: line}); err != nil {
				return nil, err
			}
		}
		return textResult("logged"), nil
	}
}

func progresses(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for _, done := range []float64{0, 50, 100} {
		if done > 0 {
			if err := pause(ctx, moment); err != nil {
				return nil, err
			}
		}
		if token == nil {
			continue
		}
		if err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100}); err != nil {
			return nil, err
		}
	}
	return textResult("done"), nil
}

// reconnects ends the stream of its call before it answers.
func reconnects(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if req.Extra != nil && req.Extra.CloseSSEStream != nil {
		req.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: moment})
	}
	if err := pause(ctx, 2*moment); err != nil {
		return nil, err
	}
	return textResult("You came back."), nil
}

func needsSampling(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if able := req.ClientCapabilities(); able == nil || able.Sampling == nil {
		return nil, &jsonrpc.Error{
			Code: sdk.CodeMissingRequiredClientCapabilities, Message: "the client cannot sample",
			Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`),
		}
	}
	return textResult("The client can sample."), nil
}

// addChangingFixtures adds the tools that change the lists of tools and prompts.
func addChangingFixtures(to *sdk.Server) {
	addFixtures(to, []fixture{
		{name: "test_trigger_tool_change", about: "Adds another tool and removes it.", call: func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			addFixtures(to, []fixture{{name: "test_passing_tool", about: "Exists for a moment.", call: returns(&sdk.TextContent{Text: "done"})}})
			to.RemoveTools("test_passing_tool")
			return textResult("changed"), nil
		}},
		{name: "test_trigger_prompt_change", about: "Adds another prompt and removes it.", call: func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			addPrompt(to, "test_passing_prompt", "Exists for a moment.", "Nothing.")
			to.RemovePrompts("test_passing_prompt")
			return textResult("changed"), nil
		}},
	})
}
