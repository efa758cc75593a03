package app

import (
	"bufio"
	"bytes"
	"context"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"obsidian-mcp/internal/access/auth"
	"obsidian-mcp/internal/testkit/mode"
)

// httpServer is the program serving over HTTP on a free port.
type httpServer struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string // without a trailing slash
	stderr *logBuffer
	client *http.Client
	ended  chan error
}

// startHTTP starts the program on a vault and waits until it is ready. Settings are variables ("LOG_LEVEL=debug") or
// flags ("--metrics"). The program is stopped when the test ends, and must exit without an error.
func startHTTP(t *testing.T, vault string, settings ...string) *httpServer {
	t.Helper()
	s := &httpServer{t: t, cmd: httpCommand(t, vault, settings...), stderr: new(logBuffer), ended: make(chan error, 1)}
	s.cmd.Stderr = s.stderr
	s.client = &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 8},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.ended <- s.cmd.Wait() }()
	t.Cleanup(s.stop)
	s.awaitReady()
	return s
}

// in is the server for use in a subtest.
func (s *httpServer) in(t *testing.T) *httpServer {
	same := *s
	same.t = t
	return &same
}

// httpCommand is the command that serves a vault on a free port.
func httpCommand(t *testing.T, vault string, settings ...string) *exec.Cmd {
	t.Helper()
	args, variables := []string{"http"}, []string{"HOST=127.0.0.1", "PORT=0", "LOG_LEVEL=info"}
	for _, setting := range settings {
		if strings.HasPrefix(setting, "--") {
			args = append(args, setting)
		} else {
			variables = append(variables, setting)
		}
	}
	cmd := command(t, vault, args...)
	cmd.Env = append(cmd.Env, variables...)
	return cmd
}

// configFile writes a config file, and returns the flag that names it.
func configFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "--config=" + name
}

// testToken makes a bearer token, and its entry in the config file with limits such as "read_only: true".
func testToken(name string, limits ...string) (token, entry string) {
	token, hash := auth.NewToken()
	entry = fmt.Sprintf("  - name: %s\n    sha256: %s\n", name, hash)
	for _, limit := range limits {
		entry += "    " + limit + "\n"
	}
	return token, entry
}

// served matches the address in the log line that says where the program listens.
var served = regexp.MustCompile(`http://[^\s"]+:(\d+)/mcp`)

func (s *httpServer) awaitReady() {
	s.t.Helper()
	for begun := time.Now(); time.Since(begun) < mode.Patience; time.Sleep(10 * time.Millisecond) {
		select {
		case err := <-s.ended:
			s.ended <- err
			s.t.Fatalf("the server did not start: %v\n%s", err, s.stderr)
		default:
		}
		if found := served.FindStringSubmatch(s.stderr.String()); found != nil {
			s.url = "http://127.0.0.1:" + found[1]
			if s.do("GET", "/readyz", "").status == http.StatusOK {
				return
			}
		}
	}
	s.t.Fatalf("the server is not ready\n%s", s.stderr)
}

// stop ends the server as a service manager does.
func (s *httpServer) stop() {
	s.client.CloseIdleConnections()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-s.ended:
		s.ended <- err
		if err != nil {
			s.t.Errorf("the server ended with %v\n%s", err, s.stderr)
		}
	case <-time.After(mode.Patience):
		_ = s.cmd.Process.Kill()
		s.t.Errorf("the server does not end\n%s", s.stderr)
	}
}

// address is the host and port of the server.
func (s *httpServer) address() string { return strings.TrimPrefix(s.url, "http://") }

// httpAnswer is the answer to a request.
type httpAnswer struct {
	status int
	header http.Header
	body   string // "" for a stream of events
}

// do sends a request with headers such as "Host: example.com". It does not read the body of an event stream.
func (s *httpServer) do(method, path, body string, headers ...string) httpAnswer {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), mode.Patience)
	defer cancel()
	answer, err := s.client.Do(s.newRequest(ctx, method, path, body, headers...))
	if err != nil {
		s.t.Fatalf("%s %s %q: %v", method, path, headers, err)
	}
	defer answer.Body.Close()
	got := httpAnswer{status: answer.StatusCode, header: answer.Header}
	if !isEventStream(answer) {
		content, err := io.ReadAll(answer.Body)
		if err != nil {
			s.t.Fatalf("%s %s %q: %v", method, path, headers, err)
		}
		got.body = string(content)
	}
	return got
}

func (s *httpServer) newRequest(ctx context.Context, method, path, body string, headers ...string) *http.Request {
	s.t.Helper()
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		if name == "Host" {
			request.Host = value
		} else {
			request.Header.Add(name, value)
		}
	}
	return request
}

func isEventStream(answer *http.Response) bool {
	return strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream")
}

// raw sends bytes as they are on a new connection, and returns the status of the answer; 0 if none comes.
func (s *httpServer) raw(text string) int {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.address())
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(mode.Patience))
	if _, err := io.WriteString(conn, text); err != nil {
		s.t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0
	}
	answer.Body.Close()
	return answer.StatusCode
}

// bearer is the header with a token; no header for an empty token.
func bearer(token string) []string {
	if token == "" {
		return nil
	}
	return []string{"Authorization: Bearer " + token}
}

// rpcCaller calls methods over any transport.
type rpcCaller interface {
	request(method string, params any) message
}

// rpcTransports are the ways to talk to a server over HTTP.
var rpcTransports = []struct {
	name    string
	connect func(s *httpServer, token string) *httpCaller
}{
	{"mcp", (*httpServer).session},
	{"sessionless", (*httpServer).sessionless},
	{"sse", (*httpServer).eventStream},
}

// httpCaller is a client over HTTP.
type httpCaller struct {
	server *httpServer
	token  string
	id     string // of the session; "" without one
	modern bool   // a client of the protocol version without sessions
	post   string // the path for messages of the oldest transport; "" for others
	next   int

	events chan message  // from the standing stream
	ended  chan struct{} // closed when the standing stream has ended
}

// session starts a session of Streamable HTTP.
func (s *httpServer) session(token string) *httpCaller {
	s.t.Helper()
	c := &httpCaller{server: s, token: token}
	c.initialize("2025-11-25")
	return c
}

// sessionless is a client of the protocol version without sessions.
func (s *httpServer) sessionless(token string) *httpCaller {
	return &httpCaller{server: s, token: token, modern: true}
}

// eventStream starts a session of the oldest transport.
func (s *httpServer) eventStream(token string) *httpCaller {
	s.t.Helper()
	c := &httpCaller{server: s, token: token}
	first := c.open("GET", "/sse", "", "Accept: text/event-stream")
	if !strings.HasPrefix(first, "/messages?sessionId=") {
		s.t.Fatalf("the first event is %q", first)
	}
	c.post = first
	c.initialize("2024-11-05")
	return c
}

// initialize makes the handshake.
func (c *httpCaller) initialize(version string) message {
	c.server.t.Helper()
	answer := c.request("initialize", map[string]any{
		"protocolVersion": version, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	})
	if answer.Error != nil {
		c.server.t.Fatalf("%s", answer.raw)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return answer
}

// request makes a call and waits for its answer. It skips other messages on a standing stream.
func (c *httpCaller) request(method string, params any) message {
	t := c.server.t
	t.Helper()
	c.next++
	id := "t" + strconv.Itoa(c.next)
	encoded, headers := c.encode(id, method, params)
	answer := c.send(encoded, headers...)
	if c.post == "" {
		if !answer.isTo(id) {
			t.Fatalf("%s: answered with another id: %s", method, answer.raw)
		}
		return answer
	}
	for {
		select {
		case got := <-c.events:
			if got.isTo(id) {
				return got
			}
		case <-time.After(mode.Patience):
			t.Fatalf("%s: no answer\n%s", method, c.server.stderr)
		}
	}
}

func (m message) isTo(id string) bool { return string(m.ID) == `"`+id+`"` }

// encode writes a call for the client's protocol version, with the headers that it needs.
func (c *httpCaller) encode(id, method string, params any) (encoded string, headers []string) {
	c.server.t.Helper()
	if c.modern {
		with := map[string]any{"_meta": meta2026("test")}
		arguments, _ := params.(map[string]any)
		maps.Copy(with, arguments)
		headers = append(headers, "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: "+method)
		if named := map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}[method]; named != "" {
			headers = append(headers, fmt.Sprintf("Mcp-Name: %v", arguments[named]))
		}
		params = with
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		c.server.t.Fatal(err)
	}
	return string(text), headers
}

// send posts a message, and returns the last message of the answer, if any.
func (c *httpCaller) send(text string, headers ...string) message {
	t := c.server.t
	t.Helper()
	path := "/mcp"
	if c.post != "" {
		path = c.post
	}
	ctx, cancel := context.WithTimeout(t.Context(), mode.Patience)
	defer cancel()
	answer, err := c.server.client.Do(c.server.newRequest(ctx, "POST", path, text, c.headers(headers)...))
	if err != nil {
		t.Fatalf("%.300s: %v", text, err)
	}
	defer answer.Body.Close()
	if id := answer.Header.Get("Mcp-Session-Id"); id != "" {
		c.id = id
	}
	if isEventStream(answer) {
		var last message
		for event := range eventsOf(answer.Body) {
			last = decodeMessage([]byte(event))
		}
		return last
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	got := decodeMessage(body)
	if answer.StatusCode >= 400 && got.Error == nil {
		t.Fatalf("%.300s: %d %s", text, answer.StatusCode, body)
	}
	return got
}

// headers are the headers of a message, followed by others.
func (c *httpCaller) headers(further []string) []string {
	all := append([]string{"Content-Type: application/json", "Accept: application/json, text/event-stream"}, bearer(c.token)...)
	if c.id != "" {
		all = append(all, "Mcp-Session-Id: "+c.id)
	}
	return append(all, further...)
}

// listen subscribes to URIs and to changes of lists, and opens the stream for the notifications. The oldest transport
// has its stream already. Without a session it returns the message that acknowledges the subscription.
func (c *httpCaller) listen(uris ...string) (acknowledged string) {
	t := c.server.t
	t.Helper()
	if c.modern {
		params := map[string]any{"notifications": map[string]any{"resourceSubscriptions": uris, "resourcesListChanged": true, "promptsListChanged": true}}
		text, headers := c.encode("listen", "subscriptions/listen", params)
		headers = append([]string{"Content-Type: application/json", "Accept: text/event-stream"}, headers...)
		acknowledged = c.open("POST", "/mcp", text, headers...)
		if !strings.Contains(acknowledged, "notifications/subscriptions/acknowledged") {
			t.Fatalf("%s", acknowledged)
		}
		return acknowledged
	}
	for _, uri := range uris {
		if got := c.request("resources/subscribe", map[string]any{"uri": uri}); got.Error != nil {
			t.Fatalf("%s", got.raw)
		}
	}
	if c.post == "" {
		c.open("GET", "/mcp", "", "Accept: text/event-stream", "Mcp-Session-Id: "+c.id)
	}
	return ""
}

// open opens an event stream and returns its first event; the others go to c.events. A stream that starts with a comment
// has no first event.
func (c *httpCaller) open(method, path, body string, headers ...string) (first string) {
	t := c.server.t
	t.Helper()
	answer, err := c.server.client.Do(c.server.newRequest(t.Context(), method, path, body, append(headers, bearer(c.token)...)...))
	if err != nil {
		t.Fatal(err)
	}
	if !isEventStream(answer) {
		content, _ := io.ReadAll(answer.Body)
		t.Fatalf("%s %s: %d %s", method, path, answer.StatusCode, content)
	}
	t.Cleanup(func() { answer.Body.Close() })
	ended := make(chan struct{})
	c.events, c.ended = make(chan message, 1000), ended
	events := eventsOf(answer.Body)
	if path != "/mcp" || method == "POST" {
		first = <-events
	}
	go func() {
		defer close(ended)
		for event := range events {
			c.events <- decodeMessage([]byte(event))
		}
	}()
	return first
}

// eventsOf reads the data of the events of a stream until it ends.
func eventsOf(stream io.Reader) <-chan string {
	events := make(chan string)
	go func() {
		defer close(events)
		lines := bufio.NewReader(stream)
		for {
			line, err := lines.ReadString('\n')
			if data, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "data: "); ok && data != "" {
				events <- data
			}
			if err != nil {
				return
			}
		}
	}()
	return events
}

func decodeMessage(text []byte) message {
	var m message
	_ = json.Unmarshal(text, &m) // anything but a message has no id
	m.raw = text
	return m
}

// logBuffer collects the output of a running process.
type logBuffer struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (b *logBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// testIssuer is an authorization server with one key.
type testIssuer struct {
	url string
	key *rsa.PrivateKey
}

func newTestIssuer(t *testing.T) *testIssuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	issuer := &testIssuer{key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]string{"issuer": issuer.url, "jwks_uri": issuer.url + "/keys"})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": []any{map[string]string{
			"kty": "RSA", "kid": "one", "n": encoded(key.N.Bytes()), "e": encoded(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	issuer.url = server.URL
	return issuer
}

// token is a valid access token, except for the claims that other replaces.
func (i *testIssuer) token(audience string, other map[string]any) string {
	claims := map[string]any{
		"iss": i.url, "sub": "ann", "aud": audience, "exp": time.Now().Unix() + 600, "iat": time.Now().Unix(), "scope": "notes:read notes:write",
	}
	maps.Copy(claims, other)
	text := jwtText(map[string]any{"alg": "RS256", "kid": "one", "typ": "at+jwt"}, claims)
	digest := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.key, crypto.SHA256, digest[:])
	if err != nil {
		panic(err)
	}
	return text + "." + encoded(signature)
}

// secretToken is a token signed with the issuer's public key as an HMAC secret.
func (i *testIssuer) secretToken(audience string) string {
	text := jwtText(map[string]any{"alg": "HS256", "kid": "one", "typ": "at+jwt"}, map[string]any{"iss": i.url, "sub": "ann", "aud": audience, "exp": time.Now().Unix() + 600, "scope": "notes:read"})
	public, err := x509.MarshalPKIXPublicKey(i.key.Public())
	if err != nil {
		panic(err)
	}
	mac := hmac.New(sha256.New, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))
	mac.Write([]byte(text))
	return text + "." + encoded(mac.Sum(nil))
}

// unsignedJWT is a token without a valid signature.
func unsignedJWT(claims map[string]any) string {
	return jwtText(map[string]any{"alg": "none", "kid": "one", "typ": "JWT"}, claims) + "." + encoded([]byte("x"))
}

func jwtText(header, claims map[string]any) string {
	first, _ := json.Marshal(header)
	second, _ := json.Marshal(claims)
	return encoded(first) + "." + encoded(second)
}

func encoded(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }
