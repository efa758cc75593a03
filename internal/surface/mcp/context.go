package mcp

import (
	"context"
	"crypto/sha256"
	"io"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/ops/resource"
)

// contextLife is how long a client without a session counts as told.
const contextLife = time.Hour

// knownClients is how many clients without a session are remembered at most.
const knownClients = 4096

// contextGiver remembers who has been given the context block.
type contextGiver struct {
	now  func() time.Time
	told atomic.Bool // whether the one client on stdio has been

	mu      sync.Mutex // guards clients
	clients map[string]time.Time
}

// firstOfClient reports whether this is the first time in an hour for a client
// without a session, and remembers it.
func (g *contextGiver) firstOfClient(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if when, ok := g.clients[name]; ok && now.Sub(when) < contextLife {
		return false
	}
	if len(g.clients) >= knownClients {
		maps.DeleteFunc(g.clients, func(_ string, when time.Time) bool { return now.Sub(when) >= contextLife })
	}
	if g.clients == nil || len(g.clients) >= knownClients {
		g.clients = map[string]time.Time{} // better told twice than remembered for ever
	}
	g.clients[name] = now
	return true
}

// forgetClient takes firstOfClient back, for an answer that could not be made.
func (g *contextGiver) forgetClient(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.clients, name)
}

// contextFor is what the answer to a call ends in: the context block, if it
// is the session's first.
func (s *Server) contextFor(ctx context.Context, req *sdk.CallToolRequest) string {
	if !s.options.Append {
		return ""
	}
	first, forget := s.contextTurn(ctx, req)
	if !first {
		return ""
	}
	block, err := s.options.Context(ctx)
	if err != nil {
		forget()
		return ""
	}
	return resource.Appended(block)
}

// contextTurn reports whether it is a call's turn to tell the context block,
// and takes that turn; forget gives it back.
func (s *Server) contextTurn(ctx context.Context, req *sdk.CallToolRequest) (first bool, forget func()) {
	if isSessionless(req.Params) {
		name := clientName(ctx, req)
		return s.context.firstOfClient(name), func() { s.context.forgetClient(name) }
	}
	told := &s.context.told
	if from, ok := ctx.Value(callerKey{}).(*caller); ok {
		told = &from.session.told
	}
	return told.CompareAndSwap(false, true), func() { told.Store(false) }
}

// clientName tells clients without a session apart. It is short, whatever they
// are called.
func clientName(ctx context.Context, req *sdk.CallToolRequest) string {
	name := sha256.New()
	if who := auth.Of(ctx); who != nil {
		io.WriteString(name, who.ID)
	}
	// Without its own the SDK would take that of the first client of all.
	if client := req.ClientInfo(); client != nil && req.Params.GetMeta()[sdk.MetaKeyClientInfo] != nil {
		io.WriteString(name, "\n"+client.Name+"\n"+client.Version)
	}
	return string(name.Sum(nil))
}

// sessionless is the first version of the protocol without sessions.
const sessionless = "2026-07-28"

// isSessionless reports whether a call is of that era. It says so itself; what
// a session's client asked for when it began is not what it was given.
func isSessionless(params sdk.Params) bool {
	version, _ := params.GetMeta()[sdk.MetaKeyProtocolVersion].(string)
	return version >= sessionless
}

// offerContext makes the block a resource.
func (s *Server) offerContext() {
	s.sdk.AddResource(&sdk.Resource{
		URI: resource.ContextURI, Name: "context", Title: resource.ContextTitle, MIMEType: "text/markdown", Description: resource.AboutContext,
	}, func(ctx context.Context, _ *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		ctx, cancel := s.limited(ctx)
		defer cancel()
		block, err := s.options.Context(ctx)
		if err != nil {
			return nil, s.callError(err, nil)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: resource.ContextURI, MIMEType: "text/markdown", Text: block}}}, nil
	})
}
