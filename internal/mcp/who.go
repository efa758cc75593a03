package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/act"
	"obsidian-mcp/internal/auth"
)

// withCaller says who makes a call, for what is recorded of it.
func withCaller(ctx context.Context, req sdk.Request) context.Context {
	who := act.Caller{Client: callingClient(req)}
	if principal := auth.Of(ctx); principal != nil {
		who.Token = principal.Name
	}
	return act.WithCaller(ctx, who)
}

// callingClient is what a client calls itself. One without a session says so
// with each call: the SDK would take the first client of all for it.
func callingClient(req sdk.Request) string {
	from, ok := req.(interface{ ClientInfo() *sdk.Implementation })
	if !ok {
		return ""
	}
	if params := req.GetParams(); params != nil && isSessionless(params) && params.GetMeta()[sdk.MetaKeyClientInfo] == nil {
		return ""
	}
	if client := from.ClientInfo(); client != nil {
		return client.Name
	}
	return ""
}
