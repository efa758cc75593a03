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

// busy opens connections that are being served.
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

func (s *running) in(one stage) int {
	s.lobby.mu.Lock()
	defer s.lobby.mu.Unlock()
	n := 0
	for c := range s.lobby.guests {
		if c.stage == one {
			n++
		}
	}
	return n
}

func TestWhoIsServedKeepsItsPlace(t *testing.T) {
	for _, test := range []struct {
		name    string
		options Options
		status  int
		reason  string
	}{
		{"one address", Options{PerAddress: 4}, 429, RefusedAddress},
		{"all", Options{Connections: 4}, 503, RefusedConnections},
		{"proxies have no limit but the one for all", Options{PerAddress: 2, Connections: 4, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, 503, RefusedConnections},
	} {
		t.Run(test.name, func(t *testing.T) {
			handler, release := hold()
			defer release()
			meter, log := newCount(), &logged{}
			test.options.Meter, test.options.Log = meter, log.logger()
			server := serve(t, test.options, handler)
			busy := server.busy(t, 4)
			answer, body := server.raw(t, holding)
			if answer.StatusCode != test.status || answer.Header.Get("Retry-After") == "" || !answer.Close || !isErrorBody(body, "too_many_connections") {
				t.Errorf("%d %v %q, want %d", answer.StatusCode, answer.Header, body, test.status)
			}
			if meter.refused(test.reason) != 1 || strings.Count(log.String(), "reason="+test.reason) != 1 {
				t.Errorf("refusals %v, log:\n%s", meter.refusals, log)
			}
			release()
			for _, c := range busy {
				if answer, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || answer.StatusCode != 200 {
					t.Errorf("who was being served got %v, %v", answer, err)
				}
				c.Close()
			}
			eventually(t, "all places are free", func() bool { return server.Connections() == 0 })
			if answer, _ := server.raw(t, holding); answer.StatusCode != 200 {
				t.Errorf("there is room again, but the answer is %d", answer.StatusCode)
			}
		})
	}
}

func TestWhoGivesWay(t *testing.T) {
	handler, release := hold()
	defer release()
	server := serve(t, Options{PerAddress: 4}, handler)
	served := server.busy(t, 1)[0]
	resting := server.dial(t)
	io.WriteString(resting, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	eventually(t, "one is idle", func() bool { return server.in(idle) == 1 })
	silent := server.dial(t)
	eventually(t, "it has a place", func() bool { return server.Connections() == 3 })
	body := server.dial(t)
	io.WriteString(body, "POST /hold HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n")
	eventually(t, "a body is awaited", func() bool { return server.in(receiving) == 1 })

	for _, next := range []struct {
		name string
		conn net.Conn
	}{{"the silent one", silent}, {"the one without its body", body}, {"the idle one", resting}} {
		server.busy(t, 1)
		if !closedSoon(next.conn) {
			t.Fatalf("%s does not give way", next.name)
		}
	}
	if answer, _ := server.raw(t, holding); answer.StatusCode != 429 {
		t.Errorf("beyond all who can give way: %d", answer.StatusCode)
	}
	served.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if _, err := served.Read(make([]byte, 1)); !isTimeout(err) {
		t.Errorf("who is being served was closed: %v", err)
	}
}

func closedSoon(c net.Conn) bool {
	c.SetReadDeadline(time.Now().Add(5 * time.Second))
	_, err := io.Copy(io.Discard, c)
	return !isTimeout(err)
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error)
	return ok && timeout.Timeout()
}

func TestCrowds(t *testing.T) {
	lobby := newLobby(1, 1, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	for address, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "10.1.2.3": "invalid IP", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "fd7a:115c:a1e0:ab12::7": "fd7a:115c:a1e0:ab12::7", "fe80::7": "fe80::7", "::1": "::1",
	} {
		remote := net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(address), 1))
		if got := lobby.crowdOf(remote).String(); got != want {
			t.Errorf("the crowd of %s is %s, want %s", address, got, want)
		}
	}
	if got := lobby.crowdOf(&net.UnixAddr{}); got.IsValid() {
		t.Errorf("the crowd of a socket file is %s", got)
	}
}

// A place is freed once, however often a connection is closed.
func TestAPlaceIsFreedOnce(t *testing.T) {
	lobby := newLobby(2, 2, nil)
	far, near := net.Pipe()
	defer far.Close()
	first, _ := lobby.admit(near)
	second, _ := lobby.admit(near)
	if _, refused := lobby.admit(near); refused == "" {
		t.Fatal("one gave way that had come just now")
	}
	time.Sleep(graceForOwn)
	third, refused := lobby.admit(near)
	if refused != "" || lobby.count() != 2 {
		t.Fatalf("the oldest silent one did not give way: %q", refused)
	}
	for range 3 {
		first.Close()
	}
	if lobby.count() != 2 {
		t.Errorf("%d places are taken, want 2", lobby.count())
	}
	second.Close()
	third.Close()
	third.Close()
	if lobby.count() != 0 || len(lobby.crowds) != 0 {
		t.Errorf("%d places are taken, crowds %v", lobby.count(), lobby.crowds)
	}
}

// A burst of connections is served, though there are more than may be at a
// time: those beyond wait for their turn.
func TestABurstIsServed(t *testing.T) {
	server := serve(t, Options{PerAddress: 8}, ok)
	var served sync.WaitGroup
	for range 60 {
		served.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
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
