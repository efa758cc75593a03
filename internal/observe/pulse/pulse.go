// Package pulse remembers the calls of the last hour, minute by minute: how
// many there were, how many failed, and how long they took. The web page draws
// its charts from it. It takes a few kilobytes, however many calls there are.
package pulse

import (
	"math"
	"sync"
	"time"

	"obsidian-mcp/internal/observe/histogram"
)

// Minutes is how many minutes are remembered.
const Minutes = 60

// Minute sums up the calls of one minute.
type Minute struct {
	Start  time.Time
	Calls  int
	Failed int
	Median time.Duration // 0 without calls
	P95    time.Duration
}

// Pulse counts calls. It is safe for use by several goroutines.
type Pulse struct {
	now func() time.Time

	mu      sync.Mutex // guards minutes
	minutes [Minutes]minute
}

// New returns a Pulse that reads the time from now.
func New(now func() time.Time) *Pulse { return &Pulse{now: now} }

// minute counts the calls of one minute. It is a slot in a ring and may still hold an older minute.
type minute struct {
	number int64 // minutes since 1970
	failed int
	took   *histogram.Histogram // nil: no calls
}

// bounds grow by half from each to the next, from 50 µs to about a minute.
var bounds = func() []time.Duration {
	all := make([]time.Duration, 36)
	for i := range all {
		all[i] = time.Duration(float64(50*time.Microsecond) * math.Pow(1.5, float64(i)))
	}
	return all
}()

// Call counts a call; kind is "ok" or the code of its error.
func (p *Pulse) Call(_, kind string, took time.Duration) {
	number := p.now().Unix() / 60
	p.mu.Lock()
	defer p.mu.Unlock()
	m := &p.minutes[number%Minutes]
	if m.number != number || m.took == nil {
		*m = minute{number: number, took: histogram.New(bounds)}
	}
	if kind != "ok" {
		m.failed++
	}
	m.took.Add(took)
}

// Last returns the last hour, oldest minute first. The last minute is not over yet.
func (p *Pulse) Last() []Minute {
	number := p.now().Unix() / 60
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]Minute, 0, Minutes)
	for n := number - Minutes + 1; n <= number; n++ {
		summary := Minute{Start: time.Unix(n*60, 0)}
		if m := p.minutes[n%Minutes]; m.number == n && m.took != nil {
			summary.Calls, summary.Failed = int(m.took.Count()), m.failed
			summary.Median, summary.P95 = m.took.Quantile(0.5), m.took.Quantile(0.95)
		}
		all = append(all, summary)
	}
	return all
}
