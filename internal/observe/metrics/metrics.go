// Package metrics counts what the server does, for Prometheus to fetch.
//
// It promises that its labels are bounded, whatever clients send: routes,
// methods and tools are those known beforehand or "other". No label and no
// value tells of notes, of names or of who is calling. Counting takes no lock
// that a slow reader of the counts could hold.
//
// The text that Prometheus reads is written here: its own library, with all
// that it brings, would be an eighth of the program. Tests hold it to that
// library's parser and linter.
//
// A nil *Metrics counts nothing, so that those who count need not ask whether
// anybody wants to know.
package metrics

import (
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"
)

const namespace = "obsidian_mcp_"

// other stands for every value that was not known beforehand.
const other = "other"

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
	http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace,
}

// Known are the values that labels may have.
type Known struct {
	Routes []string // paths that are served
	Tools  []string // names in the registry
}

// Gauges are asked for their value whenever the counts are fetched, and have to
// answer at once. Those that are nil are left out.
type Gauges struct {
	Sessions    func() float64 // open sessions
	InFlight    func() float64 // calls that are being answered
	Connections func() float64 // open connections
	IndexFiles  func() float64 // files in the index
	Ready       func() float64 // 1 once the index is built and the store can be reached
}

// Metrics are the counts of one server.
type Metrics struct {
	version string
	known   Known

	mu       sync.Mutex // guards what follows
	gauges   Gauges
	requests counter
	calls    counter
	refused  counter
	took     map[string]*histogram // by tool
}

// New makes counts for a version of the program.
func New(version string, known Known) *Metrics {
	return &Metrics{
		version: version, known: Known{Routes: slices.Clone(known.Routes), Tools: slices.Clone(known.Tools)},
		requests: newCounter("http_requests_total", "Requests answered over HTTP.", "method", "route", "status"),
		calls:    newCounter("calls_total", "Tool calls, by the kind of their outcome.", "kind", "tool"),
		refused:  newCounter("refused_total", "Requests and connections turned away.", "reason"),
		took:     map[string]*histogram{},
	}
}

// Watch adds gauges. It is called once.
func (m *Metrics) Watch(gauges Gauges) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gauges = gauges
}

// Handler shows the counts. Of a nil *Metrics there is nothing to be found.
func (m *Metrics) Handler() http.Handler {
	if m == nil {
		return http.NotFoundHandler()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(m.text()) // who is gone needs no answer
	})
}

// Request counts a request that was answered.
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

// Call counts a tool call that took some time. The kind is that of its error, a
// constant of the program, or "ok".
func (m *Metrics) Call(tool, kind string, took time.Duration) {
	if m == nil {
		return
	}
	tool = among(m.known.Tools, tool)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls.add(kind, tool)
	if m.took[tool] == nil {
		m.took[tool] = &histogram{}
	}
	m.took[tool].add(took.Seconds())
}

// Refused counts who was turned away. The reason is a constant of the program.
func (m *Metrics) Refused(reason string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused.add(reason)
}

// among is a value, or "other" if it is none of those known.
func among(known []string, value string) string {
	if slices.Contains(known, value) {
		return value
	}
	return other
}

// text is all counts as they are now.
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
	for _, one := range []struct {
		name, help string
		value      func() float64
	}{
		{"sessions", "Open sessions.", gauges.Sessions},
		{"calls_in_flight", "Calls that are being answered.", gauges.InFlight},
		{"connections", "Open connections.", gauges.Connections},
		{"index_files", "Files in the index.", gauges.IndexFiles},
		{"ready", "Whether the index is built and the store can be reached.", gauges.Ready},
	} {
		if one.value != nil {
			out.gauge(namespace+one.name, one.help, one.value())
		}
	}
	writeRuntime(out)
	return out.Bytes()
}
