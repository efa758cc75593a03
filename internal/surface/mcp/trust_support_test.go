package mcp

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"testing"
	"time"

	"obsidian-mcp/internal/access/scope"
	"obsidian-mcp/internal/ops"
	"obsidian-mcp/internal/ops/resource"
	"obsidian-mcp/internal/store/mem"
	"obsidian-mcp/internal/surface/mcp/transport"
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/history"
)

// serveNotes returns a server with all tools, on a vault in memory with a history, like the program's.
func serveNotes(t *testing.T, files map[string]string, style Style, confirmOver int) (*Server, *mem.Store) {
	t.Helper()
	notes, log := mem.New(files), slog.New(slog.DiscardHandler)
	opened := vault.Open(notes, log, vault.Options{History: history.Open(history.Options{Dir: t.TempDir(), Log: log})})
	t.Cleanup(func() { opened.Close() })
	bound, tools := ops.New(opened.View(scope.Scope{}), ops.Options{
		TagPolicy: ops.TagsNotes, TagRules: ops.DefaultTagRules, ConfirmOver: confirmOver, Secret: []byte("test"), VaultID: "v",
	})
	tools = Named(tools, style)
	bound.Offer(tools)
	catalog := resource.New(opened.View(scope.Scope{}), resource.Options{VaultID: "v"})
	return New(Options{
		Version: "1.2.3", Tools: tools, Style: style, Context: catalog.Context, Append: true, Resources: catalog,
		Progress: vault.WithProgress, CallTimeout: time.Minute, Log: log,
	}), notes
}

// lineClient is a client on stdio.
type lineClient struct {
	t           *testing.T
	out         io.Writer
	lines       *bufio.Reader
	initialized json.RawMessage // the answer to initialize; nil without sessions
}

// Versions of the protocol with and without sessions.
const (
	withSessions    = "2025-11-25"
	withoutSessions = transport.Sessionless
)

// connect connects a client that speaks a version of the protocol.
func connect(t *testing.T, server *Server, version string) *lineClient {
	t.Helper()
	in, out := io.Pipe()
	answers, written := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- transport.Stdio{In: in, Out: written, Grace: time.Minute}.Serve(t.Context(), server)
		written.Close()
	}()
	c := &lineClient{t: t, out: out, lines: bufio.NewReader(answers)}
	t.Cleanup(func() {
		out.Close()
		go io.Copy(io.Discard, c.lines)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if version == withSessions {
		client := map[string]any{"protocolVersion": version, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "0"}}
		c.initialized = c.ask(version, "initialize", client).Result
		io.WriteString(out, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	return c
}

// reply is the answer to a request.
type reply struct {
	ID     any
	Method string
	Result json.RawMessage
	Error  json.RawMessage
}

// ask sends a request and waits for its answer; it skips notifications.
func (c *lineClient) ask(version, method string, params map[string]any) reply {
	c.t.Helper()
	params = maps.Clone(params)
	if version == withoutSessions {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": map[string]any{},
			"io.modelcontextprotocol/clientInfo": map[string]any{"name": "t", "version": "0"},
		}
	}
	encoded, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.out.Write(append(encoded, '\n')); err != nil {
		c.t.Fatal(err)
	}
	for {
		line, err := c.lines.ReadBytes('\n')
		if err != nil {
			c.t.Fatal(err)
		}
		var got reply
		if err := json.Unmarshal(line, &got); err != nil {
			c.t.Fatalf("%s: %v", line, err)
		}
		if got.ID != nil && got.Method == "" {
			return got
		}
	}
}
