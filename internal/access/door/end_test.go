package door

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"obsidian-mcp/internal/fault"
)

// At the end a call in flight is answered, a stream stays open for as long as an answer may have to go out on it, silent
// and idle connections are closed, and the port is free.
func TestEndAnswersCallsThenClosesStreams(t *testing.T) {
	t.Parallel()
	var settled atomic.Bool
	begun, finish := make(chan struct{}, 2), make(chan struct{})
	server := serve(t, Options{Settle: func(ctx context.Context) { settled.Store(true) }}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/call":
			begun <- struct{}{}
			io.Copy(io.Discard, r.Body)
			select {
			case <-finish:
				io.WriteString(w, "answered")
			case <-r.Context().Done():
				io.WriteString(w, "cancelled")
			}
		case "/sse":
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			begun <- struct{}{}
			<-r.Context().Done()
			fmt.Fprintf(w, "data: settled %v\n\n", settled.Load())
		}
	}))
	stream, call, resting, silent := server.dial(t), server.dial(t), server.dial(t), server.dial(t)
	io.WriteString(stream, "GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n")
	io.WriteString(call, "POST /call HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{")
	io.WriteString(resting, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	<-begun
	<-begun
	eventually(t, "a connection is idle", func() bool { return server.in(idle) == 1 && server.Connections() == 4 })

	server.stop()
	if !closedSoon(silent) || !closedSoon(resting) {
		t.Error("connections without a request are not closed")
	}
	if c, err := net.Dial("tcp", server.address); err == nil {
		c.Close()
		t.Error("the port still accepts connections")
	}
	io.WriteString(call, "}")
	eventually(t, "the request is complete", func() bool { return server.in(working) == 1 })
	if settled.Load() || server.in(streaming) != 1 {
		t.Error("the stream is ended before the call is answered")
	}
	close(finish)
	if answer, err := http.ReadResponse(bufio.NewReader(call), nil); err != nil {
		t.Error(err)
	} else if body, _ := io.ReadAll(answer.Body); string(body) != "answered" || !answer.Close {
		t.Errorf("the call in flight was answered with %q, %v", body, answer.Header)
	}
	if all, _ := io.ReadAll(stream); !strings.Contains(string(all), "data: settled true") || !strings.HasSuffix(string(all), "0\r\n\r\n") {
		t.Errorf("the stream ended as %q", all)
	}
	server.wait(t)
	_, port, _ := net.SplitHostPort(server.address)
	number, _ := strconv.Atoi(port)
	again, err := Listen("127.0.0.1", number)
	if err != nil {
		t.Fatalf("the port is not free: %v", err)
	}
	again.Close()
}

// A request that does not end is cut off, after Drain and not before.
func TestEndCutsOffEndlessRequests(t *testing.T) {
	bubble(t, testEndCutsOffEndlessRequests)
}

func testEndCutsOffEndlessRequests(t *testing.T) {
	log, begun, never := &logged{}, make(chan struct{}, 2), make(chan struct{})
	defer close(never)
	server := serveInMemory(t, Options{Drain: 10 * time.Second, Log: log.logger()}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		if r.URL.Path == "/patient" {
			<-r.Context().Done()
			return
		}
		<-never
	}))
	io.WriteString(server.dial(t), "POST /patient HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
	io.WriteString(server.dial(t), "POST /deaf HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
	<-begun
	<-begun
	began := time.Now()
	server.stop()
	server.wait(t)
	if took := time.Since(began); took < 10*time.Second+streamEndTime || took > 11*time.Second+streamEndTime { // net/http looks every half second
		t.Errorf("the end took %v", took)
	}
	if !strings.Contains(log.String(), "requests were cut off at the end") {
		t.Errorf("the log does not say so:\n%s", log)
	}
}

func TestServeWithEndedContext(t *testing.T) {
	door, _ := New(Options{})
	listener, err := Listen("127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := door.Serve(ctx, listener, ok); err != nil {
		t.Error(err)
	}
	if _, err := listener.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is left open: %v", err)
	}
}

func TestServeOnClosedListener(t *testing.T) {
	door, _ := New(Options{})
	listener, err := Listen("127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	if err := door.Serve(t.Context(), listener, ok); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve = %v", err)
	}
}

func TestListenErrors(t *testing.T) {
	taken, err := Listen("127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	for _, test := range []struct {
		host    string
		port    int
		kind    fault.Kind
		message string
	}{
		{"127.0.0.1", port, fault.Conflict, fmt.Sprintf("another server, perhaps obsidian-mcp itself, already listens on 127.0.0.1:%d", port)},
		{"no-such-host.invalid", 0, fault.InvalidArgument, `cannot listen on the unknown host "no-such-host.invalid"`},
		{"198.51.100.7", 0, fault.InvalidArgument, "cannot listen on 198.51.100.7: this machine does not have that address"},
		{"127.0.0.1", 65536, fault.InvalidArgument, "65536 is not a port"},
		{"127.0.0.1", -1, fault.InvalidArgument, "-1 is not a port"},
	} {
		_, err := Listen(test.host, test.port)
		if !errors.Is(err, test.kind) || err.Error() != test.message || fault.HintOf(err) == "" {
			t.Errorf("Listen(%s, %d) = %v (%v), hint %q", test.host, test.port, err, fault.KindOf(err), fault.HintOf(err))
		}
	}
	if hint := fault.HintOf(explain(&net.OpError{Err: syscall.EACCES}, "", ":80", 80)); !strings.Contains(hint, "--port") {
		t.Errorf("a port that is not permitted: hint %q", hint)
	}
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "[::1]": true, "::ffff:127.0.0.1": true,
		"": false, "0.0.0.0": false, "::": false, "[::]": false, "192.168.1.5": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false, "nas": false, "fe80::1": false,
	} {
		if got := IsLoopback(host); got != want {
			t.Errorf("IsLoopback(%q) = %v", host, got)
		}
	}
}
