// Package transporttest talks to the HTTP transport over a network in memory, so that tests can run it with fake time
// in a synctest bubble. Only tests import it.
package transporttest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/surface/mcp/transport"
)

// Client is an HTTP client of one server. A request with the header "Who" comes from the principal of that name.
type Client struct {
	t      *testing.T
	HTTP   *transport.HTTP
	client *http.Client
}

// Serve serves a server until the test ends. The options can be changed before.
func Serve(t *testing.T, server transport.Server, change func(*transport.HTTPOptions)) *Client {
	t.Helper()
	options := transport.HTTPOptions{
		Server:   func(context.Context, *auth.Principal) (transport.Server, error) { return server, nil },
		Sessions: 10, Idle: time.Hour, InFlight: 64, PerSession: 8, Messages: "/messages",
		Client: func(r *http.Request) string { return r.Header.Get("Who") }, Refused: func(string) {}, Log: slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&options)
	}
	h := transport.NewHTTP(options)
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	mux.HandleFunc("/sse", h.EventStream)
	mux.HandleFunc("/messages", h.Messages)
	known := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r.WithContext(auth.With(r.Context(), &auth.Principal{ID: "token " + r.Header.Get("Who")})))
	})
	network := &network{conns: make(chan net.Conn), closed: make(chan struct{})}
	served := &http.Server{Handler: known}
	over := &http.Transport{DialContext: network.dial}
	done := make(chan error, 1)
	go func() { done <- served.Serve(network) }()
	t.Cleanup(func() {
		h.Close()
		over.CloseIdleConnections()
		_ = served.Close()
		<-done
	})
	return &Client{t: t, HTTP: h, client: &http.Client{Transport: over}}
}

// network is a listener whose connections are pipes.
type network struct {
	conns   chan net.Conn
	closing sync.Once
	closed  chan struct{}
}

func (n *network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case n.conns <- theirs:
		return ours, nil
	case <-n.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (n *network) Accept() (net.Conn, error) {
	select {
	case conn := <-n.conns:
		return conn, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (n *network) Close() error {
	n.closing.Do(func() { close(n.closed) })
	return nil
}

// Addr implements net.Listener.
func (n *network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// Try sends a request. Headers are pairs of name and value; an empty value removes the header.
func (c *Client) Try(ctx context.Context, method, path, body string, headers ...string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://server"+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Del(headers[i])
		if headers[i+1] != "" {
			request.Header.Set(headers[i], headers[i+1])
		}
	}
	return c.client.Do(request)
}

// Do sends a request that must be answered.
func (c *Client) Do(method, path, body string, headers ...string) *http.Response {
	c.t.Helper()
	answer, err := c.Try(c.t.Context(), method, path, body, headers...)
	if err != nil {
		c.t.Fatal(err)
	}
	return answer
}

// Send sends a request and returns the status and the whole body of the answer.
func (c *Client) Send(method, path, body string, headers ...string) (int, string) {
	c.t.Helper()
	answer := c.Do(method, path, body, headers...)
	defer answer.Body.Close()
	content, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(content)
}

// Post posts a message to /mcp.
func (c *Client) Post(body string, headers ...string) (int, string) {
	c.t.Helper()
	return c.Send("POST", "/mcp", body, headers...)
}

// Begin starts a session and returns its id.
func (c *Client) Begin(version string, headers ...string) string {
	c.t.Helper()
	return c.BeginWith(Initialize(version), headers...)
}

// BeginWith starts a session with this initialize message and returns its id.
func (c *Client) BeginWith(initialize string, headers ...string) string {
	c.t.Helper()
	answer := c.Do("POST", "/mcp", initialize, headers...)
	defer answer.Body.Close()
	content, _ := io.ReadAll(answer.Body)
	id := answer.Header.Get("Mcp-Session-Id")
	if answer.StatusCode != 200 || id == "" {
		c.t.Fatalf("initialize: %d %s", answer.StatusCode, content)
	}
	c.Post(Initialized, append(headers, "Mcp-Session-Id", id)...)
	return id
}

// Initialized is the notification that follows initialize.
const Initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// Initialize is the first message of a session.
func Initialize(version string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`
}

// InitializeAsking is the first message of a client that can ask its user.
func InitializeAsking(version string) string {
	return strings.Replace(Initialize(version), `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1)
}

// Call is a call of a tool.
func Call(id int, name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, arguments)
}

// SessionlessMeta is the _meta of a call in a version without sessions.
const SessionlessMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"m","version":"1"}}`

// Sessionless is a call in a version without sessions, with its headers. The parameters, if any, start with a comma.
func Sessionless(id int, method, params string) (body string, headers []string) {
	body = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`, id, method, SessionlessMeta, params)
	var named struct{ Name string }
	_ = json.Unmarshal([]byte("{"+strings.TrimPrefix(params, ",")+"}"), &named)
	headers = []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", method}
	if named.Name != "" {
		headers = append(headers, "Mcp-Name", named.Name)
	}
	return body, headers
}

// Event is a server-sent event.
type Event struct{ Name, ID, Data string }

// Events returns a function that reads the next event of a stream.
func Events(r io.Reader) func() (Event, bool) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 2<<20)
	return func() (Event, bool) {
		var next Event
		for lines.Scan() {
			key, value, _ := strings.Cut(lines.Text(), ": ")
			switch key {
			case "event":
				next.Name = value
			case "id":
				next.ID = value
			case "data":
				next.Data = value
			case "":
				if next != (Event{}) {
					return next, true
				}
			}
		}
		return Event{}, false
	}
}

// Await reads events until one contains a text.
func Await(t *testing.T, next func() (Event, bool), text string) Event {
	t.Helper()
	for {
		event, ok := next()
		if !ok {
			t.Fatalf("the stream ended before an event with %q", text)
		}
		if strings.Contains(event.Data, text) {
			return event
		}
	}
}
