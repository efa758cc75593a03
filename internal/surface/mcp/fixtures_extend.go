//go:build conformance

package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A build with the tag conformance also serves what the protocol's conformance suite calls by name. Everything else is
// the product: the same server, the same guards, the same transports.
func init() {
	extendOptions = func(options *sdk.ServerOptions) {
		options.Capabilities.Tools.ListChanged = true
		options.Capabilities.Prompts.ListChanged = true
	}
	extend = func(s *Server) {
		addContentFixtures(s.sdk)
		addRunningFixtures(s.sdk)
		addChangingFixtures(s.sdk)
		addAskingFixtures(s.sdk)
		addPromptFixtures(s.sdk)
		s.sdk.AddReceivingMiddleware(serveFixtureResources)
	}
}

// fixture is a tool of the suite.
type fixture struct {
	name, about string
	input       any // nil: no arguments
	call        sdk.ToolHandler
}

// addFixtures registers tools.
func addFixtures(to *sdk.Server, fixtures []fixture) {
	for _, f := range fixtures {
		if f.input == nil {
			f.input = map[string]any{"type": "object"}
		}
		to.AddTool(&sdk.Tool{Name: f.name, Description: f.about, InputSchema: f.input}, f.call)
	}
}

// returns is a tool whose answer is always the same.
func returns(content ...sdk.Content) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: content}, nil
	}
}

// textResult is an answer of one text.
func textResult(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}
