package door

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"obsidian-mcp/internal/testkit/mode"
)

// A thousand connections that never make a request are closed within ten seconds, and meanwhile others are answered at
// once, whether the thousand come from one address or from so many that they use up all connections.
func TestThousandHalfOpenConnections(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector crashes on so many goroutines with fake time")
	}
	for _, test := range []struct {
		name      string
		addresses int
		options   Options
	}{{"one address", 1, Options{}}, {"fifty addresses", 50, Options{HeaderTimeout: time.Second}}} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				server := serveInMemory(t, test.options, ok)
				others := server.startOthers(t)
				var closed sync.WaitGroup
				opened := time.Now()
				for i := range 1000 {
					halfOpen(server.dialFrom(t, byte(1+i%test.addresses)), i, &closed)
					time.Sleep(time.Millisecond)
				}
				closed.Wait()
				if took := time.Since(opened); took > 10*time.Second {
					t.Errorf("all were closed only after %v", took)
				}
				times := others()
				if len(times) < 400 || p(times, 99) > 100*time.Millisecond {
					t.Errorf("of %d other requests the 99th percentile was %v, the slowest %v", len(times), p(times, 99), p(times, 100))
				}
			})
		})
	}
}

// The same over TCP: every connection is closed, and every client that keeps a connection is answered.
func TestThousandHalfOpenConnectionsOverTCP(t *testing.T) {
	if !mode.Full() {
		t.Skip("takes twenty seconds: make verify")
	}
	for _, addresses := range []int{1, 50} {
		t.Run(fmt.Sprint(addresses, " addresses"), func(t *testing.T) {
			server := serve(t, Options{HeaderTimeout: time.Second}, ok)
			client := &http.Client{Transport: &http.Transport{DialContext: dialerFrom(1).DialContext}}
			defer client.CloseIdleConnections()
			var closed sync.WaitGroup
			for i := range 1000 {
				c, err := dialerFrom(byte(1+i%addresses)).Dial("tcp", server.address)
				if err != nil {
					t.Skipf("this system has no further loopback addresses: %v", err)
				}
				t.Cleanup(func() { c.Close() })
				halfOpen(c, i, &closed)
				if _, err := request(client, "http://"+server.address+"/"); err != nil {
					t.Errorf("a client that keeps its connection: %v", err)
				}
			}
			closed.Wait()
		})
	}
}

// halfOpen keeps a connection silent, or sends a head or a body on it a byte per second, until the server closes it.
func halfOpen(c net.Conn, i int, closed *sync.WaitGroup) {
	switch i % 3 {
	case 1:
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n")
	case 2:
		io.WriteString(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
	}
	closed.Go(func() { dribble(c, i%3 != 0) })
}

// dialerFrom connects from one of the many addresses of loopback.
func dialerFrom(last byte) *net.Dialer {
	return &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, last)}}
}

// dribble waits until the other side closes, and sends a byte each second if asked to.
func dribble(c net.Conn, send bool) {
	for {
		c.SetReadDeadline(time.Now().Add(time.Second))
		if _, err := io.Copy(io.Discard, c); !isTimeout(err) {
			return
		}
		if send {
			io.WriteString(c, "x")
		}
	}
}

// startOthers starts four clients that make requests until the returned function is called, which returns the sorted
// times of their requests. Two clients keep a connection, from the same address as the half-open ones; two come from
// another address and connect for each request.
func (s *running) startOthers(t *testing.T) (stop func() []time.Duration) {
	t.Helper()
	finished := make(chan struct{})
	var done sync.WaitGroup
	var mu sync.Mutex
	var times []time.Duration
	for i := range 4 {
		client := s.client(t, 1, &http.Transport{})
		if i%2 == 1 {
			client = s.client(t, 77, &http.Transport{DisableKeepAlives: true})
		}
		done.Go(func() {
			for !isClosed(finished) {
				took, err := request(client, "http://localhost/")
				if err != nil && i%2 == 0 {
					t.Errorf("a client that keeps its connection: %v", err)
				} else if err != nil {
					took = time.Hour // no answer is the slowest one
				}
				mu.Lock()
				times = append(times, took)
				mu.Unlock()
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	return func() []time.Duration {
		close(finished)
		done.Wait()
		slices.Sort(times)
		return times
	}
}

// p returns a percentile of sorted times.
func p(times []time.Duration, percent int) time.Duration {
	return times[(len(times)-1)*percent/100]
}

func isClosed(finished chan struct{}) bool {
	select {
	case <-finished:
		return true
	default:
		return false
	}
}

func request(client *http.Client, url string) (time.Duration, error) {
	began := time.Now()
	answer, err := client.Get(url)
	if err != nil {
		return time.Since(began), err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return time.Since(began), err
	}
	if answer.StatusCode != 200 {
		err = fmt.Errorf("status %d", answer.StatusCode)
	}
	return time.Since(began), err
}
