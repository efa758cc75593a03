package door

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A stream outlives every limit on reading, and so does its context.
func TestStreamOutlivesTimeouts(t *testing.T) {
	for _, request := range []string{
		"GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
	} {
		synctest.Test(t, func(t *testing.T) {
			server := serveInMemory(t, Options{HeaderTimeout: 400 * time.Millisecond, ReadTimeout: 400 * time.Millisecond, IdleTimeout: 400 * time.Millisecond, WriteTimeout: 250 * time.Millisecond},
				http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					io.Copy(io.Discard, r.Body)
					w.Header().Set("Content-Type", "text/event-stream")
					for i := range 4 {
						fmt.Fprintf(w, "data: %d\n\n", i)
						w.(http.Flusher).Flush()
						select {
						case <-r.Context().Done():
							return
						case <-time.After(300 * time.Millisecond):
						}
					}
					io.WriteString(w, "data: end\n\n")
				}))
			answer, body := server.raw(t, request)
			if want := "data: 0\n\ndata: 1\n\ndata: 2\n\ndata: 3\n\ndata: end\n\n"; body != want {
				t.Errorf("the stream was %q", body)
			}
			if answer.Header.Get("X-Accel-Buffering") != "no" || answer.Header.Get("Cache-Control") != "no-store, no-transform" {
				t.Errorf("headers of the stream: %v", answer.Header)
			}
		})
	}
}

// A client that does not read costs a WriteTimeout, not a goroutine for ever.
func TestUnreadAnswerTimesOut(t *testing.T) {
	for _, streamed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			failed := make(chan error, 1)
			server := serveInMemory(t, Options{WriteTimeout: 10 * time.Second}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				data := make([]byte, 32<<20)
				if !streamed {
					_, err := w.Write(data)
					failed <- err
					return
				}
				for {
					if _, err := w.Write(data[:8<<10]); err != nil {
						failed <- err
						return
					}
					if err := http.NewResponseController(w).Flush(); err != nil {
						failed <- err
						return
					}
				}
			}))
			began := time.Now()
			io.WriteString(server.dial(t), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
			if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("streamed %v: the write ended with %v", streamed, err)
			}
			if took := time.Since(began); took != 10*time.Second {
				t.Errorf("streamed %v: the write ended after %v", streamed, took)
			}
		})
	}
}

// A slow reader gets a long answer completely, though all of it takes many times a WriteTimeout.
func TestSlowReaderGetsCompleteAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		slowReader(t, serveInMemory(t, Options{WriteTimeout: time.Second}, bytesHandler(6<<20)), 6<<20, 500*time.Millisecond)
	})
}

func TestWriteBufferIsLimited(t *testing.T) {
	c := &memoryConn{}
	if limitWriteBuffer(c); c.writeBuffer != writeBuffer {
		t.Errorf("the system may buffer %d bytes", c.writeBuffer)
	}
}

func bytesHandler(size int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(size))
		w.Write(make([]byte, size))
	})
}

// slowReader reads 64 KB at a time, with a pause after each.
func slowReader(t testing.TB, server *running, size int, pause time.Duration) {
	t.Helper()
	c := server.dial(t)
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetReadBuffer(64 << 10)
	}
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	total, buffer := 0, make([]byte, 64<<10)
	for {
		n, err := c.Read(buffer)
		total += n
		if err != nil {
			break
		}
		time.Sleep(pause)
	}
	if total < size {
		t.Errorf("%d bytes of %d", total, size)
	}
}

// Deadlines that a handler sets itself reach the connection, and are not overridden.
func TestHandlersDeadlinesApply(t *testing.T) {
	bubble(t, testHandlersDeadlinesApply)
}

func testHandlersDeadlinesApply(t *testing.T) {
	found := make(chan string, 4)
	server := serveInMemory(t, Options{WriteTimeout: time.Hour, HeaderTimeout: time.Hour, ReadTimeout: time.Hour}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if err := control.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
			found <- err.Error()
		}
		select {
		case <-r.Context().Done(): // net/http takes the deadline for a disconnect
			found <- "read"
		case <-time.After(5 * time.Second):
			found <- "the read deadline does nothing"
		}
		if err := control.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
			found <- err.Error()
		}
		if _, err := w.Write(make([]byte, 64<<20)); errors.Is(err, os.ErrDeadlineExceeded) {
			found <- "write"
		} else {
			found <- fmt.Sprint("the write ended with ", err)
		}
	}))
	io.WriteString(server.dial(t), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	for _, want := range []string{"read", "write"} {
		if got := <-found; got != want {
			t.Error(got)
		}
	}
}

// What a handler wrote long ago is still sent when it returns.
func TestEarlyWriteIsSentAtTheEnd(t *testing.T) {
	bubble(t, testEarlyWriteIsSentAtTheEnd)
}

func testEarlyWriteIsSentAtTheEnd(t *testing.T) {
	server := serveInMemory(t, Options{WriteTimeout: 200 * time.Millisecond}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "early, ")
		time.Sleep(400 * time.Millisecond)
	}))
	if answer, body := server.raw(t, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); answer.StatusCode != 200 || body != "early, " {
		t.Errorf("%d %q", answer.StatusCode, body)
	}
}

// A client that disconnects ends the context of its request.
func TestDisconnectEndsContext(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	server := serve(t, Options{}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		close(begun)
		<-r.Context().Done()
		close(ended)
	}))
	c := server.dial(t)
	io.WriteString(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
	<-begun
	c.Close()
	<-ended
}

func TestInformationalStatusIsNotTheAnswer(t *testing.T) {
	meter := newCount()
	server := serve(t, Options{Meter: meter}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusTeapot)
	}))
	c := server.dial(t)
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	all, _ := io.ReadAll(bufio.NewReader(c))
	if !strings.Contains(string(all), "103 Early Hints") || !strings.Contains(string(all), "418 I'm a teapot") {
		t.Errorf("%s", all)
	}
	meter.mu.Lock()
	defer meter.mu.Unlock()
	if meter.requests["GET / I'm a teapot"] != 1 {
		t.Errorf("counted %v", meter.requests)
	}
}
