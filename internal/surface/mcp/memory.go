package mcp

import (
	"context"
	"crypto/sha256"
	"io"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/vault/call"
)

// clientMemories hold what clients were shown, whatever their sessions: a client that reconnects, or that has no
// sessions, is still told if a note has changed since.
type clientMemories struct {
	stdio call.Memory // of the only client on stdio

	mu      sync.Mutex // guards clients
	clients map[string]*clientMemory
}

type clientMemory struct {
	memory call.Memory
	used   time.Time
}

// maxClientMemories is how many clients are remembered at most; the one that called longest ago is forgotten first.
const maxClientMemories = 128

func (m *clientMemories) of(client string) *call.Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.clients[client]
	if known == nil {
		if m.clients == nil {
			m.clients = map[string]*clientMemory{}
		}
		if len(m.clients) >= maxClientMemories {
			delete(m.clients, m.oldest())
		}
		known = new(clientMemory)
		m.clients[client] = known
	}
	known.used = time.Now()
	return &known.memory
}

func (m *clientMemories) oldest() string {
	oldest := ""
	for name, client := range m.clients {
		if oldest == "" || client.used.Before(m.clients[oldest].used) {
			oldest = name
		}
	}
	return oldest
}

// sessionMemory is the key of a session's memory among its values.
type sessionMemory struct{}

// withMemories adds to a call's context what its session, and its client in earlier ones, was shown.
func (s *Server) withMemories(ctx context.Context, req sdk.Request) context.Context {
	client, ok := clientOf(ctx, req)
	if !ok {
		return ctx
	}
	caller, overHTTP := transport.CallerOf(ctx)
	switch {
	case transport.IsSessionless(req.GetParams()):
		return call.WithMemories(ctx, s.memories.of(client))
	case overHTTP:
		own, _ := caller.SessionValues().LoadOrStore(sessionMemory{}, new(call.Memory))
		return call.WithMemories(ctx, own.(*call.Memory), s.memories.of(client))
	}
	return call.WithMemories(ctx, &s.memories.stdio)
}

// clientOf identifies the client of a call that reads or writes, whatever its session.
func clientOf(ctx context.Context, req sdk.Request) (client string, ok bool) {
	info, ok := clientInfo(req)
	return identity(ctx, info), ok
}

// identity identifies a client by its token, name and version. It is a hash, so it is short whatever the client is called.
func identity(ctx context.Context, client *sdk.Implementation) string {
	sum := sha256.New()
	if caller := auth.Of(ctx); caller != nil {
		io.WriteString(sum, caller.ID)
	}
	if client != nil {
		io.WriteString(sum, "\n"+client.Name+"\n"+client.Version)
	}
	return string(sum.Sum(nil))
}
