package mcp

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/vault/call"
)

// withRecordedCaller adds to a call's context who makes it, for the records of changes and reads.
func (s *Server) withRecordedCaller(ctx context.Context, req sdk.Request) context.Context {
	client, isRecorded := clientInfo(req)
	if !isRecorded {
		return ctx
	}
	caller := call.Caller{Session: s.shownSession(ctx, client)}
	if client != nil {
		caller.Client = client.Name
	}
	if principal := auth.Of(ctx); principal != nil {
		caller.Token = principal.Name
	}
	return call.WithCaller(ctx, caller)
}

// clientInfo returns what a client says about itself, nil if that is nothing; only calls that touch notes are recorded. A
// client without a session names itself in each call; if it does not, the SDK returns the first client of all.
func clientInfo(req sdk.Request) (client *sdk.Implementation, isRecorded bool) {
	switch req := req.(type) {
	case *sdk.CallToolRequest:
		client = req.ClientInfo()
	case *sdk.ReadResourceRequest:
		client = req.ClientInfo()
	case *sdk.GetPromptRequest:
		client = req.ClientInfo()
	default:
		return nil, false
	}
	params := req.GetParams()
	if transport.IsSessionless(params) && params.GetMeta()[sdk.MetaKeyClientInfo] == nil {
		client = nil
	}
	return client, true
}

// shownSession returns an id for the session of a call that may be shown to others. Over HTTP without sessions, a client
// has one a day; over stdio, all calls are in one.
func (s *Server) shownSession(ctx context.Context, client *sdk.Implementation) string {
	from, overHTTP := transport.CallerOf(ctx)
	switch {
	case !overHTTP:
		return s.stdioSession
	case from.SessionID() != "":
		return call.SessionOf("session", from.SessionID())
	}
	return call.SessionOf("client", identity(ctx, client), time.Now().UTC().Format(time.DateOnly))
}
