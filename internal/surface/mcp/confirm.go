package mcp

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/tool"
)

// confirmInput names the question whether many notes may be changed.
const confirmInput = "confirm"

// canAsk reports whether the client can ask its user, and can be told to.
func canAsk(ctx context.Context, req *sdk.CallToolRequest) bool {
	if from, ok := ctx.Value(callerKey{}).(*caller); ok && !from.canBeAsked() {
		return false
	}
	abilities := req.ClientCapabilities()
	return abilities != nil && abilities.Elicitation != nil
}

// question has the client ask its user, and make the call again with what was
// said. For versions of the protocol in which a server asks, the SDK does so.
func question(needs *tool.NeedsConfirm) *sdk.CallToolResult {
	return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{confirmInput: &sdk.ElicitParams{
		Mode: "form", Message: fmt.Sprintf("This changes %d notes. Go on?", needs.Notes),
		RequestedSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}},
	}}}
}

// confirmed makes the call that the user has agreed to.
func (s *Server) confirmed(ctx context.Context, one tool.Tool, req *sdk.CallToolRequest, needs *tool.NeedsConfirm, said *sdk.ElicitResult) (tool.Answer, error) {
	if said.Action != "accept" {
		return tool.Answer{}, fault.PermissionDenied.Errorf("the user did not agree to change %d notes", needs.Notes)
	}
	arguments, err := needs.Confirmed(req.Params.Arguments)
	if err != nil {
		return tool.Answer{}, err
	}
	return s.call(ctx, one, req, arguments)
}
