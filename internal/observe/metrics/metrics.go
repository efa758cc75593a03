// Package metrics counts what the server does and serves the counts to Prometheus.
//
// It promises bounded labels, whatever clients send: routes, methods and tools
// are those known at the start, or "other". Labels and values reveal nothing
// about notes, names or callers. A slow scrape never blocks counting.
//
// The package writes the Prometheus text format itself: the official library
// and its dependencies would make up an eighth of the program. Tests check the
// output with that library's parser and linter.
//
// A nil *Metrics counts nothing, so callers need no check.
package metrics

import (
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"obsidian-mcp/internal/observe/histogram"
)

const namespace = "obsidian_mcp_"

// other replaces every label value that is not known.
const other = "other"

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
	http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace,
}

// Known lists the values that labels may have.
type Known struct {
	Routes []string // paths that are served
	Tools  []string // names in the registry
}

// Gauges are called at every scrape and must not block. Nil gauges are left out.
type Gauges struct {
	Sessions    func() float64 // open sessions
	InFlight    func() float64 // calls in progress
	Connections func() float64 // open connections
	IndexFiles  func() float64 // files in the index
	Ready       func() float64 // 1 if the index is built and the store can be reached, else 0
}

// Metrics are the counts of one server.
type Metrics struct {
	version string
	known   Known

	mu       sync.Mutex // guards the fields below
	gauges   Gauges
	requests counter
	calls    counter
	refused  counter
	took     map[string]*histogram.Histogram // by tool
}

// New returns counts that start at zero, for a version of the program.
func New(version string, known Known) *Metrics {
	return &Metrics{
		version: version, known: Known{Routes: slices.Clone(known.Routes), Tools: slices.Clone(known.Tools)},
		requests: newCounter("http_requests_total", "Requests answered over HTTP.", "method", "route", "status"),
		calls:    newCounter("calls_total", "Tool calls, by the kind of their outcome.", "kind", "tool"),
		refused:  newCounter("refused_total", "Requests and connections turned away.", "reason"),
		took:     map[string]*histogram.Histogram{},
	}
}

// Watch sets the gauges.
func (m *Metrics) Watch(gauges Gauges) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gauges = gauges
}

// Handler serves the counts; that of a nil *Metrics answers 404.
func (m *Metrics) Handler() http.Handler {
	if m == nil {
		return http.NotFoundHandler()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(m.text()) // the client may be gone
	})
}

// Request counts an answered request.
func (m *Metrics) Request(route, method string, status int) {
	if m == nil {
		return
	}
	code := other
	if status >= 100 && status < 600 {
		code = strconv.Itoa(status)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests.add(among(methods, method), among(m.known.Routes, route), code)
}

// Call counts a tool call and its duration. The kind is "ok" or the code of its
// error, never text from a client.
func (m *Metrics) Call(tool, kind string, took time.Duration) {
	if m == nil {
		return
	}
	tool = among(m.known.Tools, tool)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls.add(kind, tool)
	if m.took[tool] == nil {
		m.took[tool] = histogram.New(bounds)
	}
	m.took[tool].Add(took)
}

// Refused counts a request or connection that was turned away. The reason is a constant, never text from a client.
func (m *Metrics) Refused(reason string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused.add(reason)
}

// among returns the value if it is known, and "other" if not.
func among(known []string, value string) string {
	if slices.Contains(known, value) {
		return value
	}
	return other
}

// text renders all counts in the Prometheus text format.
func (m *Metrics) text() []byte {
	out := &page{}
	m.mu.Lock()
	gauges := m.gauges
	m.requests.write(out)
	m.calls.write(out)
	m.refused.write(out)
	writeHistograms(out, namespace+"call_duration_seconds", "How long tool calls took.", m.took)
	m.mu.Unlock()
	out.family(namespace+"build_info", "The version of the program, as labels; the value is always 1.", "gauge")
	out.sample(namespace+"build_info", labels([]string{"goversion", "version"}, []string{runtime.Version(), m.version}), 1)
	for _, gauge := range []struct {
		name, help string
		value      func() float64
	}{
		{"sessions", "Open sessions.", gauges.Sessions},
		{"calls_in_flight", "Calls in progress.", gauges.InFlight},
		{"connections", "Open connections.", gauges.Connections},
		{"index_files", "Files in the index.", gauges.IndexFiles},
		{"ready", "Whether the index is built and the store can be reached.", gauges.Ready},
	} {
		if gauge.value != nil {
			out.gauge(namespace+gauge.name, gauge.help, gauge.value())
		}
	}
	writeRuntime(out)
	return out.text.Bytes()
}
