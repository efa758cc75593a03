package livesync_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"obsidian-mcp/internal/store/livesync"
	"obsidian-mcp/internal/store/livesync/couch"
	"obsidian-mcp/internal/store/livesync/couchtest"
)

// wire is a server's network, in which a test may meet requests.
type wire struct {
	mu  sync.Mutex // guards met
	met func(*request) (*http.Response, error)
}

// request is one on its way to the database.
type request struct {
	*http.Request
	body string
}

// openWired opens a store with a network of its own, which loses little time
// over what goes wrong there.
func openWired(t testing.TB, database *couchtest.Database, network *wire, options livesync.Options) *livesync.Store {
	t.Helper()
	options.Couch = couch.Options{Transport: network, Timeout: 10 * time.Second, Retries: -1, Sleep: shortly}
	return openAs(t, database, options)
}

// meet lets a function decide what becomes of requests; nil passes them on.
func (w *wire) meet(with func(*request) (*http.Response, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.met = with
}

// before does something once, before the first such request is passed on.
func (w *wire) before(is func(*request) bool, do func()) {
	var once sync.Once
	w.meet(func(r *request) (*http.Response, error) {
		if is(r) {
			once.Do(do)
		}
		return r.pass()
	})
}

// cutAfter passes such a request on, and from its answer on nothing.
func (w *wire) cutAfter(is func(*request) bool) {
	var cut atomic.Bool
	w.meet(func(r *request) (*http.Response, error) {
		if cut.Load() {
			return nil, errCut
		}
		response, err := r.pass()
		if err == nil && is(r) {
			cut.Store(true)
			response.Body.Close()
			return nil, errCut
		}
		return response, err
	})
}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	met := w.met
	w.mu.Unlock()
	one := &request{Request: r.Clone(r.Context())}
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
		one.body, one.Body = string(body), io.NopCloser(bytes.NewReader(body))
	}
	if met == nil {
		return one.pass()
	}
	return met(one)
}

func (r *request) pass() (*http.Response, error) { return http.DefaultTransport.RoundTrip(r.Request) }

// refuse answers in the database's place.
func (r *request) refuse(status int) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"error":"refused"}`)), Request: r.Request,
	}
}

// asksFor reports a request for many documents.
func (r *request) asksFor() bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/_all_docs")
}

// fetches reports a request for many documents with a certain one among them.
func (r *request) fetches(id string) bool {
	return r.asksFor() && strings.Contains(r.body, `"`+id+`"`)
}

// isRecord reports a request that writes down what is to be done.
func (r *request) isRecord() bool {
	return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "obsidian-mcp-journal-")
}

// writes reports a request that writes a file's document.
func (r *request) writes(path string) bool {
	return strings.HasSuffix(r.URL.Path, "/_bulk_docs") && strings.Contains(r.body, `"path":"`+path+`"`)
}

// removes reports a request that marks a file as deleted.
func (r *request) removes(path string) bool {
	return r.writes(path) && strings.Contains(r.body, `"deleted":true`)
}

// await waits for others, but not longer than a request lasts.
func await(ctx context.Context, others <-chan struct{}) {
	select {
	case <-others:
	case <-ctx.Done():
	}
}

// wireCount counts how often the list of journals is asked for.
type wireCount struct{ journals atomic.Int64 }

func (c *wireCount) wire() *wire {
	return &wire{met: func(r *request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/obsidian-mcp-journals") {
			c.journals.Add(1)
		}
		return r.pass()
	}}
}
