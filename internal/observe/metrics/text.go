package metrics

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"obsidian-mcp/internal/observe/histogram"
)

// page is a text in Prometheus' format.
type page struct{ text bytes.Buffer }

// family starts a group of samples that share a name.
func (p *page) family(name, help, kind string) {
	fmt.Fprintf(&p.text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func (p *page) sample(name, labels string, value float64) {
	fmt.Fprintf(&p.text, "%s%s %s\n", name, labels, strconv.FormatFloat(value, 'g', -1, 64))
}

func (p *page) gauge(name, help string, value float64) {
	p.family(name, help, "gauge")
	p.sample(name, "", value)
}

func (p *page) counter(name, help string, value float64) {
	p.family(name, help, "counter")
	p.sample(name, "", value)
}

// labelEscapes escapes a label's value.
var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func labels(names, values []string) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = name + `="` + labelEscapes.Replace(values[i]) + `"`
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// counter counts by label values.
type counter struct {
	name, help string
	names      []string // of the labels
	counts     map[string]float64
}

func newCounter(name, help string, names ...string) counter {
	return counter{name: namespace + name, help: help, names: names, counts: map[string]float64{}}
}

func (c *counter) add(values ...string) { c.counts[labels(c.names, values)]++ }

func (c *counter) write(out *page) {
	if len(c.counts) == 0 {
		return
	}
	out.family(c.name, c.help, "counter")
	for _, key := range slices.Sorted(maps.Keys(c.counts)) {
		out.sample(c.name, key, c.counts[key])
	}
}

// bounds are the upper bounds of the histograms' buckets.
var bounds = []time.Duration{
	500 * time.Microsecond, time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond,
	25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, 30 * time.Second,
}

func writeHistograms(out *page, name, help string, byTool map[string]*histogram.Histogram) {
	if len(byTool) == 0 {
		return
	}
	out.family(name, help, "histogram")
	for _, tool := range slices.Sorted(maps.Keys(byTool)) {
		took := byTool[tool]
		bucket := func(limit string, total uint64) {
			out.sample(name+"_bucket", labels([]string{"tool", "le"}, []string{tool, limit}), float64(total))
		}
		for bound, total := range took.Cumulative() {
			bucket(strconv.FormatFloat(bound.Seconds(), 'g', -1, 64), total)
		}
		bucket("+Inf", took.Count())
		ofTool := labels([]string{"tool"}, []string{tool})
		out.sample(name+"_sum", ofTool, took.Sum().Seconds())
		out.sample(name+"_count", ofTool, float64(took.Count()))
	}
}
