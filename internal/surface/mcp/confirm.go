package mcp

import (
	"context"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/tool"
)

// confirmInput names the question whether a call may go on.
const confirmInput = "confirm"

// canAsk reports whether the client can ask its user, and whether a question would reach the client.
func canAsk(ctx context.Context, req *sdk.CallToolRequest) bool {
	if caller, ok := transport.CallerOf(ctx); ok && !caller.CanBeAsked() {
		return false
	}
	abilities := req.ClientCapabilities()
	return abilities != nil && abilities.Elicitation != nil
}

// question makes the client ask its user, and repeat the call with the response. In versions of the protocol in which
// the server asks, the SDK does so.
func question(needs *tool.NeedsConfirm) *sdk.CallToolResult {
	return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{confirmInput: &sdk.ElicitParams{
		Mode: "form", Message: needs.Question(),
		RequestedSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}},
	}}}
}

// confirmed repeats the call if the user has agreed to it.
func (s *Server) confirmed(
	ctx context.Context, t tool.Tool, req *sdk.CallToolRequest, arguments json.RawMessage, needs *tool.NeedsConfirm, response *sdk.ElicitResult,
) (tool.Answer, error) {
	if response.Action != "accept" {
		return tool.Answer{}, needs.Declined()
	}
	arguments, err := needs.Confirmed(arguments)
	if err != nil {
		return tool.Answer{}, err
	}
	return s.call(ctx, t, req, arguments)
}
