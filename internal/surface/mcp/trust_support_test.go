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
	"obsidian-mcp/internal/vault"
	"obsidian-mcp/internal/vault/history"
)

// serveNotes is a server with all tools on a vault in memory that keeps a
// history, as the program has it.
func serveNotes(t *testing.T, files map[string]string, style Style, confirmOver int) (*Server, *mem.Store) {
	t.Helper()
	notes, log := mem.New(files), slog.New(slog.DiscardHandler)
	opened := vault.OpenWith(notes, log, vault.Options{History: history.Open(history.Options{Dir: t.TempDir(), Log: log})})
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

// speaker is a client on stdio.
type speaker struct {
	*testing.T
	out      io.Writer
	lines    *bufio.Reader
	greeting json.RawMessage // what it was told first; nil in the era without sessions
}

// The eras of the protocol.
const (
	withSessions = "2025-11-25"
	modernEra    = "2026-07-28"
)

// speak begins to speak with a server in an era of the protocol.
func speak(t *testing.T, server *Server, era string) *speaker {
	t.Helper()
	in, out := io.Pipe()
	heard, said := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- server.ServeStdio(t.Context(), in, said)
		said.Close()
	}()
	c := &speaker{T: t, out: out, lines: bufio.NewReader(heard)}
	t.Cleanup(func() {
		out.Close()
		go io.Copy(io.Discard, c.lines)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if era == withSessions {
		client := map[string]any{"protocolVersion": era, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "0"}}
		c.greeting = c.ask(era, "initialize", client).Result
		io.WriteString(out, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	return c
}

// reply is what a request was answered with.
type reply struct {
	ID     any
	Method string
	Result json.RawMessage
	Error  json.RawMessage
}

// ask sends a request and waits for its answer; what the server tells unasked
// is passed over.
func (c *speaker) ask(era, method string, params map[string]any) reply {
	c.Helper()
	params = maps.Clone(params)
	if era == modernEra {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion": era, "io.modelcontextprotocol/clientCapabilities": map[string]any{},
			"io.modelcontextprotocol/clientInfo": map[string]any{"name": "t", "version": "0"},
		}
	}
	encoded, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		c.Fatal(err)
	}
	if _, err := c.out.Write(append(encoded, '\n')); err != nil {
		c.Fatal(err)
	}
	for {
		line, err := c.lines.ReadBytes('\n')
		if err != nil {
			c.Fatal(err)
		}
		var got reply
		if err := json.Unmarshal(line, &got); err != nil {
			c.Fatalf("%s: %v", line, err)
		}
		if got.ID != nil && got.Method == "" {
			return got
		}
	}
}
