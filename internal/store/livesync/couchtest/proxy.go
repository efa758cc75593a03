package couchtest

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Proxy forwards requests to a server, and injects faults.
type Proxy struct {
	URL     string
	target  *url.URL
	forward *http.Transport
	prefix  string
	closed  chan struct{}

	mu       sync.Mutex // guards the fields below
	decide   func(*http.Request) Fault
	requests int
	faults   int
}

// NewProxy starts a proxy in front of a server until the test ends. The proxy expects prefix at the start of paths, and
// removes it.
func NewProxy(t testing.TB, target, prefix string) *Proxy {
	t.Helper()
	parsed, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{target: parsed, prefix: prefix, closed: make(chan struct{})}
	p.forward = &http.Transport{DisableCompression: true, DisableKeepAlives: true}
	server := httptest.NewServer(http.HandlerFunc(p.serve))
	p.URL = server.URL + prefix
	t.Cleanup(func() {
		close(p.closed)
		server.CloseClientConnections()
		server.Close()
	})
	return p
}

// Script sets a function that chooses the fault for each request; nil forwards it. The proxy calls it for one request at
// a time.
func (p *Proxy) Script(decide func(*http.Request) Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.decide = decide
}

// Inject injects faults into the next requests, in order, and forwards all later ones.
func (p *Proxy) Inject(faults ...Fault) {
	p.Script(func(*http.Request) Fault {
		if len(faults) == 0 {
			return nil
		}
		next := faults[0]
		faults = faults[1:]
		return next
	})
}

// Always injects the same fault into all requests.
func (p *Proxy) Always(fault Fault) { p.Script(func(*http.Request) Fault { return fault }) }

// Counts returns the number of requests so far, and of injected faults.
func (p *Proxy) Counts() (requests, faults int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests, p.faults
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	if p.prefix != "" && !strings.HasPrefix(r.URL.EscapedPath(), p.prefix+"/") {
		http.NotFound(w, r)
		return
	}
	if fault := p.next(r); fault != nil {
		fault(p, w, r)
		return
	}
	p.pass(w, r, nil)
}

func (p *Proxy) next(r *http.Request) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	if p.decide == nil {
		return nil
	}
	fault := p.decide(r)
	if fault != nil {
		p.faults++
	}
	return fault
}

// pass forwards a request with its path unchanged, and the response after change has modified it.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request, change func(*http.Response) error) {
	forward := &httputil.ReverseProxy{
		Transport: p.forward, FlushInterval: -1, ModifyResponse: change,
		Rewrite: func(out *httputil.ProxyRequest) {
			out.Out.URL.Scheme, out.Out.URL.Host = p.target.Scheme, p.target.Host
			raw := p.target.EscapedPath() + strings.TrimPrefix(out.In.URL.EscapedPath(), p.prefix)
			if plain, err := url.PathUnescape(raw); err == nil {
				out.Out.URL.Path, out.Out.URL.RawPath = plain, raw
			}
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		ErrorLog:     silent,
	}
	forward.ServeHTTP(w, r)
}
