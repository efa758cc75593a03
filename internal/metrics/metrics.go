// Package metrics counts what the server does, for Prometheus to fetch.
//
// It promises that its labels are bounded, whatever clients send: routes,
// methods and tools are those known beforehand or "other". No label and no
// value tells of notes, of names or of who is calling. Counting takes no lock
// that a slow reader of the counts could hold.
//
// A nil *Metrics counts nothing, so that those who count need not ask whether
// anybody wants to know.
package metrics

import (
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const namespace = "obsidian_mcp"

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
	registry *prometheus.Registry
	known    Known
	requests *prometheus.CounterVec
	calls    *prometheus.CounterVec
	took     *prometheus.HistogramVec
	refused  *prometheus.CounterVec
}

// New makes counts for a version of the program. They have a registry of their
// own: what libraries register for the whole process is not shown.
func New(version string, known Known) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		known:    Known{Routes: slices.Clone(known.Routes), Tools: slices.Clone(known.Tools)},
		requests: counters("http_requests_total", "Requests answered over HTTP.", "route", "method", "status"),
		calls:    counters("calls_total", "Tool calls, by the kind of their outcome.", "tool", "kind"),
		refused:  counters("refused_total", "Requests and connections turned away.", "reason"),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "call_duration_seconds", Help: "How long tool calls took.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"tool"}),
	}
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "The version of the program, as labels; the value is always 1.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	}, func() float64 { return 1 })
	m.registry.MustRegister(m.requests, m.calls, m.refused, m.took, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

// Watch adds gauges. It is called once.
func (m *Metrics) Watch(gauges Gauges) {
	if m == nil {
		return
	}
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
			m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: one.name, Help: one.help}, one.value))
		}
	}
}

// Handler shows the counts. Of a nil *Metrics there is nothing to be found.
func (m *Metrics) Handler() http.Handler {
	if m == nil {
		return http.NotFoundHandler()
	}
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 2})
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
	m.requests.WithLabelValues(among(m.known.Routes, route), among(methods, method), code).Inc()
}

// Call counts a tool call that took some time. The kind is that of its error, a
// constant of the program, or "ok".
func (m *Metrics) Call(tool, kind string, took time.Duration) {
	if m == nil {
		return
	}
	tool = among(m.known.Tools, tool)
	m.calls.WithLabelValues(tool, kind).Inc()
	m.took.WithLabelValues(tool).Observe(took.Seconds())
}

// Refused counts who was turned away. The reason is a constant of the program.
func (m *Metrics) Refused(reason string) {
	if m == nil {
		return
	}
	m.refused.WithLabelValues(reason).Inc()
}

// among is a value, or "other" if it is none of those known.
func among(known []string, value string) string {
	if slices.Contains(known, value) {
		return value
	}
	return other
}
