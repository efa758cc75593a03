package transport

import (
	"context"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/access/auth"
)

// Caller is the origin of a call over HTTP: who makes it, in which session, and where its notifications go.
type Caller struct {
	principal *auth.Principal
	session   *session
	stream    *stream // nil: the session's standalone stream
	permit    *permit
}

// CallerOf returns the caller in a call's context. Calls over stdio have none.
func CallerOf(ctx context.Context) (*Caller, bool) {
	from, ok := ctx.Value(callerKey{}).(*Caller)
	return from, ok
}

// CanBeAsked reports whether a question would reach the caller. In versions without sessions a question is an answer,
// which always does.
func (c *Caller) CanBeAsked() bool {
	if c.session.id == "" {
		return true
	}
	reachable := c.stream != nil && !c.stream.answerOnly || c.session.standalone.isRead()
	return reachable && c.session.calls.canAsk() && c.permit.canAsk()
}

// SessionID returns the id of the caller's session, which is a secret; "" in versions without sessions.
func (c *Caller) SessionID() string { return c.session.id }

// SessionValues holds what the Server wants to remember for as long as the caller's session lasts.
func (c *Caller) SessionValues() *sync.Map { return &c.session.values }

type callerKey struct{}

// callerExtra is the key under which a caller travels through the SDK.
const callerExtra = "caller"

// attach adds the caller to a message for the SDK.
func (c *Caller) attach(request *jsonrpc.Request, header http.Header) *jsonrpc.Request {
	extra, isCall := request.Extra.(*sdk.RequestExtra)
	if isCall {
		receiptIn(extra).unread = func() bool { return !c.outlet().isRead() }
	} else {
		extra = newExtra()
		request.Extra = extra
	}
	extra.Header = header
	extra.TokenInfo.Extra[callerExtra] = c
	if c.stream != nil && c.stream.replays {
		extra.CloseSSEStream = func(args sdk.CloseSSEStreamArgs) { c.stream.part(args.RetryAfter) }
	}
	return request
}

// outlet is the stream that the caller's answer goes to.
func (c *Caller) outlet() *stream {
	if c.stream == nil {
		return c.session.standalone
	}
	return c.stream
}

// WithCaller adds the caller that came with a message, its principal and its receipt to the message's context. A Server
// calls it before anything else.
func WithCaller(ctx context.Context, req sdk.Request) context.Context {
	extra := req.GetExtra()
	if extra == nil || extra.TokenInfo == nil {
		return ctx
	}
	if receipt := receiptIn(extra); receipt != nil {
		ctx = context.WithValue(ctx, receiptKey{}, receipt)
	}
	from, ok := extra.TokenInfo.Extra[callerExtra].(*Caller)
	if !ok {
		return ctx
	}
	return auth.With(context.WithValue(ctx, callerKey{}, from), from.principal)
}
