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
	"time"
)

// A stream outlives every limit on reading, and its context does too.
func TestAStreamLastsLongerThanAnyTimeout(t *testing.T) {
	for _, request := range []string{
		"GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
	} {
		t.Run(request[:4], func(t *testing.T) {
			t.Parallel()
			server := serve(t, Options{HeaderTimeout: 400 * time.Millisecond, ReadTimeout: 400 * time.Millisecond, IdleTimeout: 400 * time.Millisecond, WriteTimeout: 250 * time.Millisecond},
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
func TestAClientThatDoesNotRead(t *testing.T) {
	for _, streamed := range []bool{true, false} {
		t.Run(fmt.Sprint("streamed ", streamed), func(t *testing.T) {
			t.Parallel()
			failed := make(chan error, 1)
			server := serve(t, Options{WriteTimeout: 200 * time.Millisecond}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
			io.WriteString(server.dial(t), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
			select {
			case err := <-failed:
				if !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("the write ended with %v", err)
				}
			case <-time.After(10 * time.Second):
				t.Error("the write never ends")
			}
		})
	}
}

// Slow readers who do read get a long answer whole, though all of it takes many
// times a WriteTimeout, and the system would hold most of it for them.
func TestASlowReaderGetsTheWhole(t *testing.T) {
	for _, reader := range []struct {
		size  int
		pause time.Duration // for 64 KB
	}{{32 << 20, 10 * time.Millisecond}, {6 << 20, 100 * time.Millisecond}} {
		t.Run(reader.pause.String(), func(t *testing.T) {
			t.Parallel()
			server := serve(t, Options{WriteTimeout: time.Second}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", fmt.Sprint(reader.size))
				w.Write(make([]byte, reader.size))
			}))
			c := server.dial(t)
			c.(*net.TCPConn).SetReadBuffer(64 << 10)
			io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
			total, buffer := 0, make([]byte, 64<<10)
			for began := time.Now(); ; {
				n, err := c.Read(buffer)
				total += n
				if err != nil {
					t.Logf("%d bytes in %v", total, time.Since(began))
					break
				}
				time.Sleep(reader.pause)
			}
			if total < reader.size {
				t.Errorf("%d bytes of %d", total, reader.size)
			}
		})
	}
}

// Deadlines that a handler sets itself reach the connection, and are not
// overruled.
func TestDeadlinesReachTheConnection(t *testing.T) {
	found := make(chan string, 4)
	server := serve(t, Options{WriteTimeout: time.Hour, HeaderTimeout: time.Hour, ReadTimeout: time.Hour}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if err := control.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
			found <- err.Error()
		}
		select {
		case <-r.Context().Done(): // net/http takes the end of the time for the client's
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
		select {
		case got := <-found:
			if got != want {
				t.Error(got)
			}
		case <-time.After(15 * time.Second):
			t.Fatalf("the %s deadline does nothing", want)
		}
	}
}

// What a handler wrote long ago is still sent when it returns.
func TestALateEndIsSent(t *testing.T) {
	server := serve(t, Options{WriteTimeout: 200 * time.Millisecond}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "early, ")
		time.Sleep(400 * time.Millisecond)
	}))
	if answer, body := server.raw(t, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"); answer.StatusCode != 200 || body != "early, " {
		t.Errorf("%d %q", answer.StatusCode, body)
	}
}

// A client that goes away ends the context of its request.
func TestAClientThatLeavesIsNoticed(t *testing.T) {
	ended := make(chan struct{})
	server := serve(t, Options{}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		close(ended)
	}))
	c := server.dial(t)
	io.WriteString(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
	time.Sleep(50 * time.Millisecond)
	c.Close()
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Error("nobody noticed")
	}
}

func TestInformationIsNotTheAnswer(t *testing.T) {
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
