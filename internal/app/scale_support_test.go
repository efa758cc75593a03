package app

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"obsidian-mcp/internal/store/livesync/couchtest"
)

// fleet is several servers of one database behind a load balancer.
type fleet struct {
	balancer *httpServer // the server that clients call
	servers  []*httpServer
	database *couchtest.Database

	mu       sync.Mutex // guards the fields below
	next     int
	sticky   bool                   // a session stays on its server
	sessions map[string]*httpServer // by id, as seen in the answers
}

// startFleet starts three servers on an empty encrypted database.
func startFleet(t *testing.T, settings ...string) *fleet {
	t.Helper()
	f := &fleet{database: couchtest.New(t), sessions: map[string]*httpServer{}}
	for range 3 {
		f.servers = append(f.servers, startHTTP(t, "", f.settings(settings...)...))
	}
	front := httptest.NewServer(http.HandlerFunc(f.balance))
	t.Cleanup(front.Close)
	f.balancer = &httpServer{t: t, url: front.URL, client: front.Client(), stderr: new(logBuffer)}
	return f
}

const fleetPassphrase = "correct horse"

// settings are the settings of each server.
func (f *fleet) settings(more ...string) []string {
	return append(databaseSettings(f.database, "VAULT_PASSPHRASE="+fleetPassphrase, "USE_PATH_OBFUSCATION=true", "OBSIDIAN_MCP_RATE_CALLS=0", "OBSIDIAN_MCP_RATE_WRITES=0"), more...)
}

// balance forwards a request to the next server, or to the server of its session.
func (f *fleet) balance(w http.ResponseWriter, r *http.Request) {
	chosen := f.choose(r.Header.Get("Mcp-Session-Id"))
	to, err := url.Parse(chosen.url)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	forward := &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite:       func(p *httputil.ProxyRequest) { p.SetURL(to) },
		ModifyResponse: func(answer *http.Response) error {
			f.learn(answer.Header.Get("Mcp-Session-Id"), chosen)
			return nil
		},
	}
	forward.ServeHTTP(w, r)
}

func (f *fleet) choose(session string) *httpServer {
	f.mu.Lock()
	defer f.mu.Unlock()
	if server := f.sessions[session]; server != nil && f.sticky {
		return server
	}
	f.next++
	return f.servers[f.next%len(f.servers)]
}

func (f *fleet) learn(session string, server *httpServer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if session != "" && f.sessions[session] == nil {
		f.sessions[session] = server
	}
}

// keepSessions sets whether the balancer keeps sessions on their servers.
func (f *fleet) keepSessions(keep bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sticky = keep
}

// call calls a tool, and returns its result.
func (c *httpCaller) call(tool string, arguments map[string]any) toolResult {
	t := c.server.t
	t.Helper()
	answer := c.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if answer.Error != nil {
		t.Fatalf("%s %v: %s", tool, arguments, answer.raw)
	}
	return decodeResult(t, answer)
}

// done calls a tool that must succeed, and returns its text.
func (c *httpCaller) done(tool string, arguments map[string]any) string {
	t := c.server.t
	t.Helper()
	result := c.call(tool, arguments)
	if result.IsError {
		t.Fatalf("%s %v: %s", tool, arguments, result.text())
	}
	return result.text()
}

// refused calls a tool that must fail for a reason.
func (c *httpCaller) refused(reason, tool string, arguments map[string]any) {
	t := c.server.t
	t.Helper()
	if result := c.call(tool, arguments); !result.IsError || !strings.Contains(result.text(), reason) {
		t.Errorf("%s %v is not refused with %q: %s", tool, arguments, reason, result.text())
	}
}

func (r toolResult) text() string {
	var all []string
	for _, part := range r.Content {
		all = append(all, part.Text)
	}
	return strings.Join(all, "\n")
}

// reads checks that a note contains a text.
func (c *httpCaller) reads(name, text string) {
	c.server.t.Helper()
	if got := c.done("read_note", map[string]any{"name": name}); !strings.Contains(got, text) {
		c.server.t.Errorf("%s does not contain %q: %s", name, text, got)
	}
}

// crash kills a server, as a failure of its machine would.
func (s *httpServer) crash() {
	s.t.Helper()
	_ = s.cmd.Process.Kill()
	<-s.ended
	s.ended <- nil // for stop
}
