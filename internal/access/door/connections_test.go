package door

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// hold answers /hold when it is released, and everything else at once.
func hold() (handler http.Handler, release func()) {
	held := make(chan struct{})
	release = sync.OnceFunc(func() { close(held) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hold" {
			<-held
		}
		io.WriteString(w, "ok")
	}), release
}

const holding = "GET /hold HTTP/1.1\r\nHost: localhost\r\n\r\n"

// busy opens connections whose requests are being served.
func (s *running) busy(t *testing.T, n int) []net.Conn {
	t.Helper()
	before := s.in(working)
	var all []net.Conn
	for range n {
		c := s.dial(t)
		io.WriteString(c, holding)
		all = append(all, c)
	}
	eventually(t, "all are being served", func() bool { return s.in(working) == before+n })
	return all
}

// in counts the connections at a stage.
func (s *running) in(at stage) int {
	s.connections.mu.Lock()
	defer s.connections.mu.Unlock()
	n := 0
	for c := range s.connections.open {
		if c.stage == at {
			n++
		}
	}
	return n
}

func TestServedConnectionsAreNeverEvicted(t *testing.T) {
	for _, test := range []struct {
		name    string
		options Options
		status  int
		reason  string
	}{
		{"one address", Options{PerAddress: 4}, 429, RefusedAddress},
		{"all", Options{Connections: 4}, 503, RefusedConnections},
		{"a proxy has only the total limit", Options{PerAddress: 2, Connections: 4, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, 503, RefusedConnections},
	} {
		synctest.Test(t, func(t *testing.T) {
			handler, release := hold()
			defer release()
			meter, log := newCount(), &logged{}
			test.options.Meter, test.options.Log = meter, log.logger()
			server := serveInMemory(t, test.options, handler)
			busy := server.busy(t, 4)
			answer, body := server.raw(t, holding)
			if answer.StatusCode != test.status || answer.Header.Get("Retry-After") == "" || !answer.Close || !isErrorBody(body, "too_many_connections") {
				t.Errorf("%s: %d %v %q, want %d", test.name, answer.StatusCode, answer.Header, body, test.status)
			}
			if meter.refused(test.reason) != 1 || strings.Count(log.String(), "reason="+test.reason) != 1 {
				t.Errorf("%s: refusals %v, log:\n%s", test.name, meter.refusals, log)
			}
			release()
			for _, c := range busy {
				if answer, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || answer.StatusCode != 200 {
					t.Errorf("%s: a request that was being served got %v, %v", test.name, answer, err)
				}
				c.Close()
			}
			eventually(t, "all connections are closed", func() bool { return server.Connections() == 0 })
			if answer, _ := server.raw(t, holding); answer.StatusCode != 200 {
				t.Errorf("%s: there is room again, but the answer is %d", test.name, answer.StatusCode)
			}
		})
	}
}

func TestOrderOfEviction(t *testing.T) {
	bubble(t, testOrderOfEviction)
}

func testOrderOfEviction(t *testing.T) {
	handler, release := hold()
	defer release()
	server := serveInMemory(t, Options{PerAddress: 4}, handler)
	served := server.busy(t, 1)[0]
	resting := server.dial(t)
	io.WriteString(resting, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	eventually(t, "a connection is idle", func() bool { return server.in(idle) == 1 })
	silent := server.dial(t)
	eventually(t, "it is admitted", func() bool { return server.Connections() == 3 })
	body := server.dial(t)
	io.WriteString(body, "POST /hold HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n")
	eventually(t, "a body is awaited", func() bool { return server.in(receiving) == 1 })

	for _, next := range []struct {
		name string
		conn net.Conn
	}{{"the silent connection", silent}, {"the connection without its body", body}, {"the idle connection", resting}} {
		server.busy(t, 1)
		if !closedSoon(next.conn) {
			t.Fatalf("%s does not give way", next.name)
		}
	}
	if answer, _ := server.raw(t, holding); answer.StatusCode != 429 {
		t.Errorf("when none can give way: %d", answer.StatusCode)
	}
	served.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if _, err := served.Read(make([]byte, 1)); !isTimeout(err) {
		t.Errorf("a connection that is being served was closed: %v", err)
	}
}

func closedSoon(c net.Conn) bool {
	c.SetReadDeadline(time.Now().Add(30 * time.Second))
	_, err := io.Copy(io.Discard, c)
	return !isTimeout(err)
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error)
	return ok && timeout.Timeout()
}

func TestConnectionsShareLimitByNetwork(t *testing.T) {
	table := newConnections(1, 1, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	for address, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "10.1.2.3": "invalid IP", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "fd7a:115c:a1e0:ab12::7": "fd7a:115c:a1e0:ab12::7", "fe80::7": "fe80::7", "::1": "::1",
	} {
		remote := net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(address), 1))
		if got := table.groupOf(remote).String(); got != want {
			t.Errorf("the group of %s is %s, want %s", address, got, want)
		}
	}
	if got := table.groupOf(&net.UnixAddr{}); got.IsValid() {
		t.Errorf("the group of a socket file is %s", got)
	}
}

// A connection is uncounted once, however often it is closed.
func TestClosingTwiceFreesOneSlot(t *testing.T) {
	bubble(t, testClosingTwiceFreesOneSlot)
}

func testClosingTwiceFreesOneSlot(t *testing.T) {
	table := newConnections(2, 2, nil)
	far, near := net.Pipe()
	defer far.Close()
	first, _ := table.admit(near)
	second, _ := table.admit(near)
	if _, refused := table.admit(near); refused == "" {
		t.Fatal("a connection that was opened just now gave way")
	}
	time.Sleep(graceForOwn)
	third, refused := table.admit(near)
	if refused != "" || table.count() != 2 {
		t.Fatalf("the oldest silent connection did not give way: %q", refused)
	}
	for range 3 {
		first.Close()
	}
	if table.count() != 2 {
		t.Errorf("%d connections are counted, want 2", table.count())
	}
	second.Close()
	third.Close()
	third.Close()
	if table.count() != 0 || len(table.groups) != 0 {
		t.Errorf("%d connections are counted, groups %v", table.count(), table.groups)
	}
}

// A burst of more connections than allowed at a time is served: the others wait for their turn.
func TestBurstIsServed(t *testing.T) {
	bubble(t, testBurstIsServed)
}

func testBurstIsServed(t *testing.T) {
	server := serveInMemory(t, Options{PerAddress: 8}, ok)
	var served sync.WaitGroup
	for range 60 {
		served.Go(func() {
			client := server.client(t, 1, &http.Transport{})
			answer, err := client.Get("http://" + server.address + "/")
			if err != nil {
				t.Error(err)
				return
			}
			answer.Body.Close()
			if answer.StatusCode != 200 {
				t.Errorf("status %d", answer.StatusCode)
			}
		})
	}
	served.Wait()
}
