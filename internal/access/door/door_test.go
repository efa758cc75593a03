package door

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
	"obsidian-mcp/internal/testkit/mode"
)

// running is a server behind a door, on its own port or in memory.
type running struct {
	*Door
	address string   // host and port
	network *network // nil if it is real
	ended   chan error
	stop    context.CancelFunc
}

// serve starts a server that ends with the test.
func serve(t testing.TB, options Options, handler http.Handler) *running {
	t.Helper()
	if options.Host == "" {
		options.Host = "127.0.0.1"
	}
	listener, err := Listen(options.Host, 0)
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, options, handler, listener, nil)
}

func serveOn(t testing.TB, options Options, handler http.Handler, listener net.Listener, network *network) *running {
	t.Helper()
	door, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	server := &running{Door: door, address: listener.Addr().String(), network: network, ended: make(chan error, 1), stop: stop}
	go func() { server.ended <- door.Serve(ctx, listener, handler) }()
	t.Cleanup(func() {
		stop()
		server.wait(t)
	})
	return server
}

// wait waits until the server has ended.
func (s *running) wait(t testing.TB) {
	t.Helper()
	if err := <-s.ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
	s.ended <- nil
}

// dial opens a connection that is closed with the test.
func (s *running) dial(t testing.TB) net.Conn {
	t.Helper()
	if s.network != nil {
		return s.dialFrom(t, 1)
	}
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(time.Minute)) // a broken test fails rather than hangs
	t.Cleanup(func() { c.Close() })
	return c
}

// dialFrom opens a connection in memory from the loopback address that ends with a byte.
func (s *running) dialFrom(t testing.TB, last byte) net.Conn {
	t.Helper()
	c, err := s.network.dialFrom(last)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// raw sends bytes on a new connection and returns the first answer and its body.
func (s *running) raw(t *testing.T, request string) (*http.Response, string) {
	t.Helper()
	c := s.dial(t)
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("no answer to %q: %v", request, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	return answer, string(body)
}

// ok reads the body of every request, and answers.
var ok = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		status := http.StatusBadRequest
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			status = http.StatusRequestEntityTooLarge
		}
		w.WriteHeader(status)
		return
	}
	io.WriteString(w, "ok")
})

// count is a Meter that a test can ask.
type count struct {
	mu       sync.Mutex
	requests map[string]int
	refusals map[string]int
}

func newCount() *count { return &count{requests: map[string]int{}, refusals: map[string]int{}} }

func (c *count) Request(route, method string, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests[method+" "+route+" "+http.StatusText(status)]++
}

func (c *count) Refused(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refusals[reason]++
}

func (c *count) refused(reason string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refusals[reason]
}

// logged is a log that a test can read while it is being written.
type logged struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes.String()
}

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// eventually waits for something that another goroutine is about to do.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < mode.Patience; time.Sleep(10 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("never happened: %s", what)
}

func TestNewRefusesMalformedNames(t *testing.T) {
	for _, options := range []Options{
		{Hosts: []string{"*"}}, {Hosts: []string{"*.*"}}, {Hosts: []string{""}}, {Hosts: []string{"https://nas.local"}},
		{Hosts: []string{"nas.local/mcp"}}, {Hosts: []string{"nas.local:x"}}, {Hosts: []string{"müller.example"}}, {Hosts: []string{"*.10.0.0.1"}},
		{Hosts: []string{"user@nas.local"}}, {Hosts: []string{"a..b"}},
		{Origins: []string{"*"}}, {Origins: []string{"null"}}, {Origins: []string{"claude.ai"}}, {Origins: []string{"https://"}},
		{Origins: []string{"https://claude.ai/chat"}}, {Origins: []string{"https://*.claude.ai"}},
	} {
		if _, err := New(options); !errors.Is(err, fault.InvalidArgument) || fault.HintOf(err) == "" {
			t.Errorf("New(hosts %q, origins %q) = %v, want an invalid argument with a hint", options.Hosts, options.Origins, err)
		}
	}
}

func TestNewCopiesItsOptions(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	door, err := New(Options{Proxies: proxies})
	if err != nil {
		t.Fatal(err)
	}
	proxies[0] = netip.MustParsePrefix("0.0.0.0/0")
	if door.isProxy(netip.MustParseAddr("192.0.2.1")) {
		t.Error("the caller's slice is still in use")
	}
}

func TestEveryAnswerHasSecurityHeaders(t *testing.T) {
	server := serve(t, Options{}, ok)
	for _, request := range []string{
		"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
	} {
		answer, _ := server.raw(t, request)
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Server": "",
		} {
			if got := answer.Header.Get(name); got != want {
				t.Errorf("%q: %s is %q, want %q", request, name, got, want)
			}
		}
		for name := range answer.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%q: %s without any allowed origin", request, name)
			}
		}
	}
}

func TestPanicCostsOneAnswer(t *testing.T) {
	log, meter := &logged{}, newCount()
	server := serve(t, Options{Log: log.logger(), Meter: meter}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/late" {
			io.WriteString(w, "half of ")
			w.(http.Flusher).Flush()
		}
		if r.URL.Path != "/" {
			panic("secret state\nlevel=ERROR")
		}
	}))
	answer, body := server.raw(t, "GET /early HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if answer.StatusCode != 500 || strings.Contains(body, "secret") || answer.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("early: %d %q", answer.StatusCode, body)
	}
	c := server.dial(t)
	io.WriteString(c, "GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if late, _ := io.ReadAll(c); !strings.Contains(string(late), "half of ") || strings.HasSuffix(string(late), "0\r\n\r\n") {
		t.Errorf("late: %q looks like a complete answer", late)
	}
	if answer, _ := server.raw(t, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); answer.StatusCode != 200 {
		t.Errorf("afterwards: %d", answer.StatusCode)
	}
	if got := strings.Count(log.String(), "a handler panicked"); got != 2 || strings.Contains(log.String(), "http: panic") {
		t.Errorf("%d lines about two panics:\n%s", got, log)
	}
	meter.mu.Lock()
	defer meter.mu.Unlock()
	if meter.requests["GET /early Internal Server Error"] != 1 || meter.requests["GET /late OK"] != 1 {
		t.Errorf("counted: %v", meter.requests)
	}
}
