package door

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestOversizedAndAmbiguousRequests(t *testing.T) {
	server := serve(t, Options{MaxBody: 1000}, ok)
	chunked := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, test := range []struct {
		name, request string
		want          int
	}{
		{"a body of the maximum size", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n" + strings.Repeat("x", 1000), 200},
		{"a larger body is refused before it is sent", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\n\r\n", 413},
		{"a larger body is not asked for", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 1001\r\n\r\n", 413},
		{"a larger body on an unknown route", "PATCH /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9223372036854775807\r\n\r\n", 413},
		{"chunks of the maximum size", chunked + "3e8\r\n" + strings.Repeat("x", 1000) + "\r\n0\r\n\r\n", 200},
		{"larger chunks", chunked + "3e9\r\n" + strings.Repeat("x", 1001) + "\r\n0\r\n\r\n", 413},
		{"a head of the maximum size", "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 16<<10-100) + "\r\n\r\n", 200},
		{"a larger head", "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 16<<10) + "\r\n\r\n", 431},
		{"an overlong target", "GET /" + strings.Repeat("x", 16<<10) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", 431},
		{"too many headers", "GET / HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("A: b\r\n", 5000) + "\r\n", 431},
		{"two lengths", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", 400},
		{"a negative length", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400},
		{"a length with a sign", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: +1\r\n\r\nx", 400},
		{"an unknown coding", "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
		{"a repeated coding", "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501},
		{"a folded header", "GET / HTTP/1.1\r\nHost: localhost\r\n X: folded\r\n\r\n", 400},
		{"a space before the colon", "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400},
		{"a malformed chunk", chunked + "zz\r\n", 400},
		{"an unknown version", "GET / HTTP/3.0\r\nHost: localhost\r\n\r\n", 505},
		{"another protocol", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400},
		{"an unknown expectation", "POST / HTTP/1.1\r\nHost: localhost\r\nExpect: miracles\r\nContent-Length: 1\r\n\r\nx", 417},
	} {
		t.Run(test.name, func(t *testing.T) {
			answer, body := server.raw(t, test.request)
			if answer.StatusCode != test.want {
				t.Errorf("%d %q, want %d", answer.StatusCode, body, test.want)
			}
		})
	}
	if answer, _ := server.raw(t, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); answer.StatusCode != 200 {
		t.Errorf("afterwards: %d", answer.StatusCode)
	}
}

// Where we and a proxy may disagree about the end of a request, what follows must not be taken for another request.
func TestNothingIsSmuggled(t *testing.T) {
	server := serve(t, Options{}, ok)
	const smuggled = "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for _, request := range []string{
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + smuggled,
		"POST / HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n" + smuggled,
	} {
		c := server.dial(t)
		io.WriteString(c, request)
		answers, _ := io.ReadAll(c)
		if got := strings.Count(string(answers), "HTTP/1."); got != 1 || !strings.Contains(string(answers), "Connection: close") {
			t.Errorf("%q: %d answers:\n%s", request, got, answers)
		}
	}
}

func TestPipelinedRequestsAreAnsweredInOrder(t *testing.T) {
	server := serve(t, Options{}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.Path) }))
	c := server.dial(t)
	for i := range 5 {
		fmt.Fprintf(c, "POST /%d HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", i)
	}
	in := bufio.NewReader(c)
	for i := range 5 {
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(answer.Body); string(body) != fmt.Sprintf("/%d", i) {
			t.Errorf("answer %d is %q", i, body)
		}
	}
}

// A body that trickles is cut off, whether its handler reads it or not, and a refusal does not wait for it.
func TestTricklingBodyIsCutOff(t *testing.T) {
	bubble(t, testTricklingBodyIsCutOff)
}

func testTricklingBodyIsCutOff(t *testing.T) {
	server := serveInMemory(t, Options{HeaderTimeout: 5 * time.Second}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/reads" {
			ok(w, r)
		}
	}))
	for _, test := range []struct {
		target, host string
		want         int
		answered     time.Duration
	}{{"/reads", "localhost", 400, 5 * time.Second}, {"/ignores", "localhost", 200, 5 * time.Second}, {"/reads", "evil.example", 403, 0}} {
		c := server.dial(t)
		began := time.Now()
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000\r\n\r\n", test.target, test.host)
		var sent sync.WaitGroup
		sent.Go(func() { trickle(c) })
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || answer.StatusCode != test.want || time.Since(began) > test.answered {
			t.Errorf("%s %s: %v, %v after %v", test.target, test.host, answer, err, time.Since(began))
		}
		io.Copy(io.Discard, c)
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("%s %s: closed after %v", test.target, test.host, took)
		}
		c.Close()
		sent.Wait()
	}
}

// trickle sends single bytes until the other side closes.
func trickle(c io.Writer) {
	for {
		if _, err := c.Write([]byte("x")); err != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// A body may take longer than the HeaderTimeout as long as it keeps arriving, and its handler may read it late.
func TestSteadyBodyIsRead(t *testing.T) {
	bubble(t, testSteadyBodyIsRead)
}

func testSteadyBodyIsRead(t *testing.T) {
	server := serveInMemory(t, Options{HeaderTimeout: 300 * time.Millisecond}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(500 * time.Millisecond)
		ok(w, r)
	}))
	c := server.dial(t)
	fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 40960\r\n\r\n")
	var sent sync.WaitGroup
	sent.Go(func() {
		for range 10 {
			c.Write(make([]byte, 4096))
			time.Sleep(150 * time.Millisecond)
		}
	})
	defer sent.Wait()
	if answer, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || answer.StatusCode != 200 {
		t.Errorf("%v, %v", answer, err)
	}
}
