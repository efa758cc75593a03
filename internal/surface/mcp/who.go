package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/vault/call"
)

// withCaller says who makes a call, for what is recorded of it.
func withCaller(ctx context.Context, req sdk.Request) context.Context {
	var who call.Caller
	switch req := req.(type) {
	case *sdk.CallToolRequest:
		who.Client = callingClient(req.Params, req.ClientInfo())
	case *sdk.ReadResourceRequest:
		who.Client = callingClient(req.Params, req.ClientInfo())
	default:
		return ctx // of nothing else is anything recorded
	}
	if principal := auth.Of(ctx); principal != nil {
		who.Token = principal.Name
	}
	return call.WithCaller(ctx, who)
}

// callingClient is what a client calls itself. One without a session says so
// with each call: the SDK would take the first client of all for it.
func callingClient(params sdk.Params, client *sdk.Implementation) string {
	if client == nil || isSessionless(params) && params.GetMeta()[sdk.MetaKeyClientInfo] == nil {
		return ""
	}
	return client.Name
}
