package mcp

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/surface/mcp/transport"
)

// contextLife is how long a client without a session is remembered as having the context block.
const contextLife = time.Hour

// maxContextClients is how many clients without a session are remembered at most.
const maxContextClients = 4096

// contextTurns remembers who has been given the context block.
type contextTurns struct {
	now   func() time.Time
	stdio atomic.Bool // whether the only client on stdio has it

	mu      sync.Mutex // guards clients
	clients map[string]time.Time
}

// takeClient reports whether a client without a session has not been given the block in the last hour, and remembers
// that it is given now.
func (g *contextTurns) takeClient(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if when, ok := g.clients[name]; ok && now.Sub(when) < contextLife {
		return false
	}
	if len(g.clients) >= maxContextClients {
		maps.DeleteFunc(g.clients, func(_ string, when time.Time) bool { return now.Sub(when) >= contextLife })
	}
	if g.clients == nil || len(g.clients) >= maxContextClients {
		g.clients = map[string]time.Time{} // better to give the block twice than to remember without limit
	}
	g.clients[name] = now
	return true
}

// returnClient undoes takeClient, for a block that could not be made.
func (g *contextTurns) returnClient(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.clients, name)
}

// contextFor returns what the answer to a call ends with: the context block, if the answer is the session's first.
func (s *Server) contextFor(ctx context.Context, req *sdk.CallToolRequest) string {
	if !s.options.Append {
		return ""
	}
	first, giveBack := s.contextTurn(ctx, req)
	if !first {
		return ""
	}
	block, err := s.options.Context(ctx)
	if err != nil {
		giveBack()
		return ""
	}
	return resource.Appended(block)
}

// givenContext is the session's value that says that it has been given the block.
type givenContext struct{}

// contextTurn reports whether a call's answer should carry the context block. If so the turn is taken; giveBack undoes
// that.
func (s *Server) contextTurn(ctx context.Context, req *sdk.CallToolRequest) (first bool, giveBack func()) {
	if transport.IsSessionless(req.Params) {
		name, _ := clientOf(ctx, req)
		return s.context.takeClient(name), func() { s.context.returnClient(name) }
	}
	if caller, ok := transport.CallerOf(ctx); ok {
		values := caller.SessionValues()
		_, given := values.LoadOrStore(givenContext{}, true)
		return !given, func() { values.Delete(givenContext{}) }
	}
	return s.context.stdio.CompareAndSwap(false, true), func() { s.context.stdio.Store(false) }
}

// offerContext makes the block a resource.
func (s *Server) offerContext() {
	const mime = "text/markdown"
	s.sdk.AddResource(&sdk.Resource{
		URI: resource.ContextURI, Name: "context", Title: resource.ContextTitle, MIMEType: mime, Description: resource.AboutContext,
	}, func(ctx context.Context, _ *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		ctx, cancel := s.limited(ctx)
		defer cancel()
		block, err := s.options.Context(ctx)
		if err != nil {
			return nil, s.callError(err, nil)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: resource.ContextURI, MIMEType: mime, Text: block}}}, nil
	})
}
