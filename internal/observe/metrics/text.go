package metrics

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// page is the text that Prometheus reads.
type page struct{ bytes.Buffer }

// family begins the samples of a name.
func (p *page) family(name, help, kind string) {
	fmt.Fprintf(p, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

func (p *page) sample(name, labels string, value float64) {
	fmt.Fprintf(p, "%s%s %s\n", name, labels, strconv.FormatFloat(value, 'g', -1, 64))
}

func (p *page) gauge(name, help string, value float64) {
	p.family(name, help, "gauge")
	p.sample(name, "", value)
}

func (p *page) counter(name, help string, value float64) {
	p.family(name, help, "counter")
	p.sample(name, "", value)
}

// inLabel is how a label's value is written.
var inLabel = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func labels(names, values []string) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = name + `="` + inLabel.Replace(values[i]) + `"`
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// counter counts by the values of its labels.
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

// limits are those of a histogram's classes, in seconds.
var limits = [...]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// histogram tells how many values are up to each limit.
type histogram struct {
	counts [len(limits) + 1]uint64
	sum    float64
}

func (h *histogram) add(value float64) {
	class, _ := slices.BinarySearch(limits[:], value)
	h.counts[class]++
	h.sum += value
}

func writeHistograms(out *page, name, help string, all map[string]*histogram) {
	if len(all) == 0 {
		return
	}
	out.family(name, help, "histogram")
	for _, tool := range slices.Sorted(maps.Keys(all)) {
		one, total := all[tool], uint64(0)
		for class, count := range one.counts {
			limit := "+Inf"
			if class < len(limits) {
				limit = strconv.FormatFloat(limits[class], 'g', -1, 64)
			}
			total += count
			out.sample(name+"_bucket", labels([]string{"tool", "le"}, []string{tool, limit}), float64(total))
		}
		of := labels([]string{"tool"}, []string{tool})
		out.sample(name+"_sum", of, one.sum)
		out.sample(name+"_count", of, float64(total))
	}
}
