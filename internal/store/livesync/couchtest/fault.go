package couchtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fault handles a request in a faulty way.
type Fault func(*Proxy, http.ResponseWriter, *http.Request)

// Delay forwards a request after a while.
func Delay(d time.Duration) Fault {
	return func(p *Proxy, w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d):
			p.pass(w, r, nil)
		case <-p.closed:
		}
	}
}

// CutAfter closes the connection after n bytes of the response.
func CutAfter(n int64) Fault {
	return func(p *Proxy, w http.ResponseWriter, r *http.Request) {
		p.pass(w, r, func(response *http.Response) error {
			response.Body = shortened{from: io.LimitReader(response.Body, n), body: response.Body}
			return nil
		})
	}
}

// shortened is a body that ends with an error, so that the proxy closes the connection.
type shortened struct {
	from io.Reader
	body io.Closer
}

func (s shortened) Close() error { return s.body.Close() }

func (s shortened) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if err == io.EOF {
		err = errors.New("cut")
	}
	return n, err
}

// TruncateAfter ends the response after n bytes as if it were complete.
func TruncateAfter(n int64) Fault {
	return func(p *Proxy, w http.ResponseWriter, r *http.Request) {
		p.pass(w, r, func(response *http.Response) error {
			start, err := io.ReadAll(io.LimitReader(response.Body, n))
			response.Body.Close()
			response.Body = io.NopCloser(bytes.NewReader(start))
			response.ContentLength = int64(len(start))
			response.Header.Set("Content-Length", strconv.Itoa(len(start)))
			return err
		})
	}
}

// Reset resets the connection before the server has seen the request.
func Reset() Fault {
	return func(_ *Proxy, w http.ResponseWriter, _ *http.Request) { reset(w) }
}

// LoseAnswer forwards the request, and then resets the connection instead of sending the response.
func LoseAnswer() Fault {
	return func(p *Proxy, w http.ResponseWriter, r *http.Request) {
		p.pass(discarded{http.Header{}}, r, nil)
		reset(w)
	}
}

// Overtaken returns faults for two requests. The connection of the first is reset, and it arrives only when the second one does,
// just before it.
func Overtaken() (first, second Fault) {
	held := make(chan *http.Request, 1)
	first = func(_ *Proxy, w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		late := r.Clone(context.WithoutCancel(r.Context()))
		late.Body = io.NopCloser(bytes.NewReader(body))
		held <- late
		reset(w)
	}
	second = func(p *Proxy, w http.ResponseWriter, r *http.Request) {
		p.pass(discarded{http.Header{}}, <-held, nil)
		p.pass(w, r, nil)
	}
	return first, second
}

type discarded struct{ header http.Header }

func (d discarded) Header() http.Header         { return d.header }
func (d discarded) Write(p []byte) (int, error) { return len(p), nil }
func (d discarded) WriteHeader(int)             {}

func reset(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	connection.Close()
}

// Status responds with an error status without asking the server.
func Status(code int, word string) Fault {
	return func(_ *Proxy, w http.ResponseWriter, r *http.Request) {
		answer(w, r, code, map[string]string{"error": word, "reason": "injected"})
	}
}

// Conflicts refuses writes as conflicts.
func Conflicts() Fault {
	return func(_ *Proxy, w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/_bulk_docs") {
			answer(w, r, http.StatusConflict, map[string]string{"error": "conflict", "reason": "injected"})
			return
		}
		var written struct {
			Docs []struct {
				ID string `json:"_id"`
			}
		}
		_ = json.NewDecoder(r.Body).Decode(&written)
		rows := []map[string]string{}
		for _, document := range written.Docs {
			rows = append(rows, map[string]string{"id": document.ID, "error": "conflict", "reason": "injected"})
		}
		answer(w, r, http.StatusCreated, rows)
	}
}

// Garbage responds with a web page.
func Garbage() Fault {
	return func(_ *Proxy, w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>Please log in to the guest network</html>")
	}
}

// Redirect redirects the client.
func Redirect(to string) Fault {
	return func(_ *Proxy, w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
	}
}

// Hang accepts a request and never responds.
func Hang() Fault {
	return func(p *Proxy, _ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		p.wait(r)
	}
}

// Endless responds with text that never ends.
func Endless() Fault {
	return func(_ *Proxy, w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, err := io.WriteString(w, `{"rows":["`)
		for piece := strings.Repeat("x", 64<<10); err == nil; {
			_, err = io.WriteString(w, piece)
		}
	}
}

// Bomb responds with 64 KB that decompress to 64 MB.
func Bomb() Fault {
	return func(_ *Proxy, w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb())
	}
}

var bomb = sync.OnceValue(func() []byte {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, _ = io.WriteString(writer, `{"rows":["`)
	for zeros := make([]byte, 1<<20); packed.Len() < 64<<10; {
		_, _ = writer.Write(zeros)
	}
	writer.Close()
	return packed.Bytes()
})

// wait blocks until the client has disconnected.
func (p *Proxy) wait(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-p.closed:
	}
}

func answer(w http.ResponseWriter, r *http.Request, status int, body any) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// silent discards the error messages of proxies that break connections.
var silent = log.New(io.Discard, "", 0)
