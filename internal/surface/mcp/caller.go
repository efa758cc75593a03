package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/vault/call"
)

// withRecordedCaller adds to a call's context who makes it, for the records of changes and reads.
func withRecordedCaller(ctx context.Context, req sdk.Request) context.Context {
	var caller call.Caller
	switch req := req.(type) {
	case *sdk.CallToolRequest:
		caller.Client = recordedClient(req.Params, req.ClientInfo())
	case *sdk.ReadResourceRequest:
		caller.Client = recordedClient(req.Params, req.ClientInfo())
	default:
		return ctx // other calls are not recorded
	}
	if principal := auth.Of(ctx); principal != nil {
		caller.Token = principal.Name
	}
	return call.WithCaller(ctx, caller)
}

// recordedClient returns what a client calls itself. A client without a session names itself in each call; if it does
// not, the SDK returns the name of the first client of all.
func recordedClient(params sdk.Params, client *sdk.Implementation) string {
	if client == nil || transport.IsSessionless(params) && params.GetMeta()[sdk.MetaKeyClientInfo] == nil {
		return ""
	}
	return client.Name
}
