package mcp

import (
	"context"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// contextLife is how long a client without a session counts as told.
const contextLife = time.Hour

// contextGiver remembers who has been given the context block.
type contextGiver struct {
	now func() time.Time

	mu    sync.Mutex // guards given
	given map[string]time.Time
}

// first reports whether this is a client's first time, and remembers it. A
// session is told once; where there are none, a client by that name is told
// once in an hour.
func (g *contextGiver) first(key string, life time.Duration) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	if when, ok := g.given[key]; ok && (life == 0 || now.Sub(when) < life) {
		return false
	}
	if g.given == nil {
		g.given = map[string]time.Time{}
	}
	g.given[key] = now
	return true
}

// forget takes first back, for an answer that could not be made.
func (g *contextGiver) forget(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.given, key)
}

// contextFor is what the answer to a call ends in: the context block, if it
// is the session's first.
func (s *Server) contextFor(ctx context.Context, req *sdk.CallToolRequest) string {
	if !s.options.Append {
		return ""
	}
	key, life := "session "+req.Session.ID(), time.Duration(0)
	if req.ProtocolVersion() >= sessionless {
		key, life = "client", contextLife
		if client := req.ClientInfo(); client != nil {
			key = "client " + client.Name + " " + client.Version
		}
	}
	if !s.context.first(key, life) {
		return ""
	}
	block, err := s.options.Context(ctx)
	if err != nil {
		s.context.forget(key)
		return ""
	}
	return "\n\n---\n" + block + "\n---"
}

// sessionless is the first version of the protocol without sessions.
const sessionless = "2026-07-28"

// contextURI is where the block can be read at any time.
const contextURI = "obsidian-mcp://context"

// aboutContext says what the block is.
const aboutContext = "Notes with instructions for the assistant, and the tags that it may use."

// offerContext makes the block a resource.
func (s *Server) offerContext() {
	s.sdk.AddResource(&sdk.Resource{
		URI: contextURI, Name: "context", Title: "What to know of this vault", MIMEType: "text/markdown", Description: aboutContext,
	}, func(ctx context.Context, _ *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		ctx, cancel := s.limited(ctx)
		defer cancel()
		block, err := s.options.Context(ctx)
		if err != nil {
			return nil, s.callError(err, nil)
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: contextURI, MIMEType: "text/markdown", Text: block}}}, nil
	})
}
