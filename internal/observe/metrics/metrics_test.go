package metrics_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"obsidian-mcp/internal/observe/metrics"
)

func newMetrics() *metrics.Metrics {
	return metrics.New("1.2.3", metrics.Known{
		Routes: []string{"/mcp", "/healthz"},
		Tools:  []string{"read_note", "find_notes"},
	})
}

// scrape fetches and parses the counts as Prometheus does.
func scrape(t *testing.T, m *metrics.Metrics) ([]byte, map[string]*dto.MetricFamily) {
	t.Helper()
	server := httptest.NewServer(m.Handler())
	defer server.Close()
	answer, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%d, %v: %s", answer.StatusCode, err, text)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return text, families
}

// values returns the samples of a family by their labels.
func values(family *dto.MetricFamily) map[string]float64 {
	found := map[string]float64{}
	for _, metric := range family.GetMetric() {
		var labels []string
		for _, label := range metric.GetLabel() {
			labels = append(labels, label.GetName()+"="+label.GetValue())
		}
		value := metric.GetCounter().GetValue() + metric.GetGauge().GetValue() + float64(metric.GetHistogram().GetSampleCount())
		found[strings.Join(labels, " ")] = value
	}
	return found
}

func TestCountsAreServed(t *testing.T) {
	m := newMetrics()
	m.Watch(metrics.Gauges{
		Sessions: func() float64 { return 3 }, InFlight: func() float64 { return 1 }, Connections: func() float64 { return 4 },
		IndexFiles: func() float64 { return 1000 }, Ready: func() float64 { return 1 },
	})
	m.Request("/mcp", "POST", 200)
	m.Request("/mcp", "POST", 200)
	m.Request("/mcp/../../etc/passwd", "BREW", 200)
	m.Request("/healthz", "GET", 99999)
	m.Call("read_note", "ok", 3*time.Millisecond)
	m.Call("read_note", "NOT_FOUND", time.Second)
	m.Call("rm -rf", "INVALID_ARGUMENT", time.Hour)
	m.Refused("host")
	text, families := scrape(t, m)
	for name, want := range map[string]map[string]float64{
		"obsidian_mcp_http_requests_total": {
			"method=POST route=/mcp status=200": 2, "method=other route=other status=200": 1, "method=GET route=/healthz status=other": 1,
		},
		"obsidian_mcp_calls_total": {
			"kind=ok tool=read_note": 1, "kind=NOT_FOUND tool=read_note": 1, "kind=INVALID_ARGUMENT tool=other": 1,
		},
		"obsidian_mcp_call_duration_seconds": {"tool=read_note": 2, "tool=other": 1},
		"obsidian_mcp_refused_total":         {"reason=host": 1},
		"obsidian_mcp_calls_in_flight":       {"": 1},
		"obsidian_mcp_sessions":              {"": 3},
		"obsidian_mcp_connections":           {"": 4},
		"obsidian_mcp_index_files":           {"": 1000},
		"obsidian_mcp_ready":                 {"": 1},
	} {
		if got := values(families[name]); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"go_goroutines", "go_memstats_heap_alloc_bytes", "obsidian_mcp_build_info"} {
		if families[name] == nil {
			t.Errorf("no %s", name)
		}
	}
	if !bytes.Contains(text, []byte(`version="1.2.3"`)) {
		t.Error("the version is missing")
	}
}

// TestNamesPassPromlint applies Prometheus' own rules for names and units.
func TestNamesPassPromlint(t *testing.T) {
	m := newMetrics()
	m.Watch(metrics.Gauges{Sessions: func() float64 { return 0 }})
	m.Request("/mcp", "POST", 200)
	m.Call("read_note", "ok", time.Millisecond)
	m.Refused("host")
	text, _ := scrape(t, m)
	problems, err := promlint.New(bytes.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
}

// TestLabelsAreBounded: the number of series does not grow with what clients send.
func TestLabelsAreBounded(t *testing.T) {
	m := newMetrics()
	var done sync.WaitGroup
	for worker := range 4 {
		done.Go(func() {
			for i := range 1000 {
				name := fmt.Sprintf("/%d/%d\n\"", worker, i)
				m.Request(name, name, i*7)
				m.Call(name, "ok", time.Duration(i))
			}
		})
	}
	done.Wait()
	_, families := scrape(t, m)
	if n := len(families["obsidian_mcp_http_requests_total"].GetMetric()); n > 100 {
		t.Errorf("%d series of requests", n)
	}
	if got := values(families["obsidian_mcp_calls_total"]); len(got) != 1 || got["kind=ok tool=other"] != 4000 {
		t.Errorf("series of calls: %v", got)
	}
}

func TestServersCountSeparately(t *testing.T) {
	first, second := newMetrics(), newMetrics()
	first.Refused("host")
	if _, families := scrape(t, second); families["obsidian_mcp_refused_total"] != nil {
		t.Error("one server's count shows up in the other")
	}
}

func TestNilCountsNothing(t *testing.T) {
	var m *metrics.Metrics
	m.Watch(metrics.Gauges{Ready: func() float64 { return 1 }})
	m.Request("/mcp", "POST", 200)
	m.Call("read_note", "ok", time.Second)
	m.Refused("host")
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	if answer.Code != http.StatusNotFound {
		t.Errorf("status %d, want 404", answer.Code)
	}
}

func BenchmarkCall(b *testing.B) {
	m := newMetrics()
	for b.Loop() {
		m.Call("read_note", "ok", time.Millisecond)
	}
}
