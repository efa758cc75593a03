package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
)

// proxy passes requests on to the database and counts what passes. It can also answer lists of documents from
// memory, like a database on another machine, which takes no time of this one.
type proxy struct {
	url     string
	server  *http.Server
	forward *httputil.ReverseProxy

	mu     sync.Mutex // guards what follows
	passed traffic
	memory map[string]answer // nil: nothing is remembered
}

// traffic is what was sent and received, in bodies as they are on the wire.
type traffic struct {
	requests int
	up, down int64
	chunks   int   // written
	chunkUp  int64 // their bytes
}

type answer struct {
	header http.Header
	body   []byte
}

func startProxy(target string) (*proxy, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{url: "http://" + listener.Addr().String()}
	p.forward = &httputil.ReverseProxy{
		Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 16}, FlushInterval: -1,
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ModifyResponse: p.listen,
		ErrorHandler:   func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	p.server = &http.Server{Handler: p}
	go func() { _ = p.server.Serve(listener) }()
	return p, nil
}

func (p *proxy) close() { p.server.Close() }

// take returns what has passed since it was last called.
func (p *proxy) take() traffic {
	p.mu.Lock()
	defer p.mu.Unlock()
	passed := p.passed
	p.passed = traffic{}
	return passed
}

// remember makes the proxy answer repeated requests for a list by itself.
func (p *proxy) remember(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.memory = nil
	if on {
		p.memory = map[string]answer{}
	}
}

// ServeHTTP passes a request on.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	known, ok := p.enter(r, body)
	if !ok {
		p.forward.ServeHTTP(w, r)
		return
	}
	for name, values := range known.header {
		w.Header()[name] = values
	}
	n, _ := w.Write(known.body)
	p.count(traffic{down: int64(n)})
}

// keyHeader carries the key that an answer is remembered by.
const keyHeader = "X-Livesyncbench-Key"

// enter counts a request, and returns the answer if it is remembered.
func (p *proxy) enter(r *http.Request, body []byte) (answer, bool) {
	now := traffic{requests: 1, up: int64(len(body))}
	if strings.HasSuffix(r.URL.Path, "/_bulk_docs") {
		now.chunks, now.chunkUp = chunksIn(body)
	}
	p.count(now)
	if !strings.HasSuffix(r.URL.Path, "/_all_docs") {
		return answer{}, false
	}
	sum := sha256.Sum256(body)
	key := r.Method + r.URL.String() + string(sum[:])
	r.Header.Set(keyHeader, url.QueryEscape(key))
	p.mu.Lock()
	defer p.mu.Unlock()
	known, ok := p.memory[key]
	return known, ok
}

func (p *proxy) count(more traffic) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passed.requests += more.requests
	p.passed.up += more.up
	p.passed.down += more.down
	p.passed.chunks += more.chunks
	p.passed.chunkUp += more.chunkUp
}

// chunksIn counts the chunks among written documents.
func chunksIn(body []byte) (count int, size int64) {
	var written struct{ Docs []json.RawMessage }
	_ = json.Unmarshal(body, &written)
	for _, document := range written.Docs {
		var id struct {
			ID string `json:"_id"`
		}
		_ = json.Unmarshal(document, &id)
		if strings.HasPrefix(id.ID, "h:") {
			count++
			size += int64(len(document))
		}
	}
	return count, size
}

// listen counts an answer while it passes, and remembers it if it should.
func (p *proxy) listen(r *http.Response) error {
	key, _ := url.QueryUnescape(r.Request.Header.Get(keyHeader))
	p.mu.Lock()
	keep := p.memory != nil && key != "" && r.StatusCode == http.StatusOK
	p.mu.Unlock()
	if !keep {
		r.Body = &counting{r.Body, p}
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = &counting{io.NopCloser(bytes.NewReader(body)), p}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.memory != nil {
		p.memory[key] = answer{r.Header.Clone(), body}
	}
	return nil
}

type counting struct {
	io.ReadCloser
	to *proxy
}

func (c *counting) Read(into []byte) (int, error) {
	n, err := c.ReadCloser.Read(into)
	c.to.count(traffic{down: int64(n)})
	return n, err
}
