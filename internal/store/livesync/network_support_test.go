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

// network is a server's network, in which a test can intercept requests.
type network struct {
	mu        sync.Mutex // guards intercept
	intercept func(*request) (*http.Response, error)
}

// request is an intercepted request.
type request struct {
	http *http.Request
	body string
}

// openOn opens a store on a network, with short pauses between attempts.
func openOn(t testing.TB, database *couchtest.Database, network *network, options livesync.Options) *livesync.Store {
	t.Helper()
	options.Couch = couch.Options{Transport: network, Timeout: 10 * time.Second, Retries: -1, Sleep: shortly}
	return openAs(t, database, options)
}

// setIntercept sets the function that handles requests; nil forwards them.
func (w *network) setIntercept(with func(*request) (*http.Response, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.intercept = with
}

// runBefore calls do once, before the first matching request is forwarded.
func (w *network) runBefore(is func(*request) bool, do func()) {
	var once sync.Once
	w.setIntercept(func(r *request) (*http.Response, error) {
		if is(r) {
			once.Do(do)
		}
		return r.pass()
	})
}

// cutAfter forwards a matching request, loses its response, and cuts the network.
func (w *network) cutAfter(is func(*request) bool) {
	var cut atomic.Bool
	w.setIntercept(func(r *request) (*http.Response, error) {
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
func (w *network) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	met := w.intercept
	w.mu.Unlock()
	request := &request{http: r.Clone(r.Context())}
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
		request.body, request.http.Body = string(body), io.NopCloser(bytes.NewReader(body))
	}
	if met == nil {
		return request.pass()
	}
	return met(request)
}

func (r *request) pass() (*http.Response, error) { return http.DefaultTransport.RoundTrip(r.http) }

// refuse responds without asking the database.
func (r *request) refuse(status int) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"error":"refused"}`)), Request: r.http,
	}
}

// asksFor reports whether it is a request for many documents.
func (r *request) asksFor() bool {
	return r.http.Method == http.MethodPost && strings.HasSuffix(r.http.URL.Path, "/_all_docs")
}

// fetches reports whether it is a request for many documents that include id.
func (r *request) fetches(id string) bool {
	return r.asksFor() && strings.Contains(r.body, `"`+id+`"`)
}

// sends reports whether the request writes a document.
func (r *request) sends(id string) bool {
	return strings.HasSuffix(r.http.URL.Path, "/_bulk_docs") && strings.Contains(r.body, `"_id":"`+id+`"`)
}

// looksAt reports whether the request asks for the branches of a document.
func (r *request) looksAt(id string) bool {
	return strings.HasSuffix(r.http.URL.Path, "/_bulk_get") && strings.Contains(r.body, `"`+id+`"`) && !strings.Contains(r.body, `"rev"`)
}

// passAndRead forwards the request, and returns what the response says.
func (r *request) passAndRead() (response *http.Response, body []byte, err error) {
	response, err = r.pass()
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	if body, err = io.ReadAll(response.Body); err != nil {
		return nil, nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, body, nil
}

// passAndSee forwards the request, and reports whether the feed delivers the document of id with its response.
func (r *request) passAndSee(id string) (response *http.Response, delivered bool, err error) {
	if !strings.HasSuffix(r.http.URL.Path, "/_changes") {
		response, err = r.pass()
		return response, false, err
	}
	response, body, err := r.passAndRead()
	return response, err == nil && response.StatusCode == http.StatusOK && bytes.Contains(body, []byte(`"_id":"`+id+`"`)), err
}

// isRecord reports whether the request writes to a journal.
func (r *request) isRecord() bool {
	return r.http.Method == http.MethodPut && strings.Contains(r.http.URL.Path, "obsidian-mcp-journal-")
}

// writes reports whether the request writes the document of a file.
func (r *request) writes(path string) bool {
	return strings.HasSuffix(r.http.URL.Path, "/_bulk_docs") && strings.Contains(r.body, `"path":"`+path+`"`)
}

// removes reports whether the request marks a file as deleted.
func (r *request) removes(path string) bool {
	return r.writes(path) && strings.Contains(r.body, `"deleted":true`)
}

// await waits for a channel, or until the request ends.
func await(ctx context.Context, others <-chan struct{}) {
	select {
	case <-others:
	case <-ctx.Done():
	}
}

// journalCount counts how often the list of journals is requested.
type journalCount struct{ journals atomic.Int64 }

func (c *journalCount) wire() *network {
	return &network{intercept: func(r *request) (*http.Response, error) {
		if strings.HasSuffix(r.http.URL.Path, "/obsidian-mcp-journals") {
			c.journals.Add(1)
		}
		return r.pass()
	}}
}
