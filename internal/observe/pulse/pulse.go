// Package pulse remembers the calls of the last hour, minute by minute: how
// many there were, how many failed, and how long they took. It is what the page
// draws, and costs a few kilobytes whatever happens.
package pulse

import (
	"math"
	"sync"
	"time"
)

// Minutes is how far back is remembered.
const Minutes = 60

// Minute is what happened in one.
type Minute struct {
	Start  time.Time
	Calls  int
	Failed int
	Median time.Duration // 0 where there was no call
	P95    time.Duration
}

// Pulse counts calls. It is safe for use by several goroutines.
type Pulse struct {
	now func() time.Time

	mu      sync.Mutex // guards minutes
	minutes [Minutes]minute
}

// New makes one that goes by a clock.
func New(now func() time.Time) *Pulse { return &Pulse{now: now} }

// minute has the times of its calls in classes, each half as long again as the
// one before.
type minute struct {
	number        int64 // since 1970
	calls, failed int
	classes       [classes]int
}

const (
	classes  = 36
	shortest = 50 * time.Microsecond
	growth   = 1.5
)

// Call counts a call; kind is "ok" or that of its error.
func (p *Pulse) Call(_, kind string, took time.Duration) {
	number := p.now().Unix() / 60
	p.mu.Lock()
	defer p.mu.Unlock()
	m := &p.minutes[number%Minutes]
	if m.number != number {
		*m = minute{number: number}
	}
	m.calls++
	if kind != "ok" {
		m.failed++
	}
	m.classes[classOf(took)]++
}

func classOf(took time.Duration) int {
	if took <= shortest {
		return 0
	}
	class := math.Ceil(math.Log(float64(took)/float64(shortest)) / math.Log(growth))
	return min(int(class), classes-1)
}

// Last is the last hour, the oldest minute first; the last one is not over yet.
func (p *Pulse) Last() []Minute {
	number := p.now().Unix() / 60
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]Minute, 0, Minutes)
	for n := number - Minutes + 1; n <= number; n++ {
		m := p.minutes[n%Minutes]
		if m.number != n {
			m = minute{}
		}
		all = append(all, Minute{Start: time.Unix(n*60, 0), Calls: m.calls, Failed: m.failed, Median: m.quantile(0.5), P95: m.quantile(0.95)})
	}
	return all
}

// quantile is the end of the class that a part of the calls lie below.
func (m *minute) quantile(part float64) time.Duration {
	if m.calls == 0 {
		return 0
	}
	want, seen := int(math.Ceil(part*float64(m.calls))), 0
	for class, count := range m.classes {
		if seen += count; seen >= want {
			return time.Duration(float64(shortest) * math.Pow(growth, float64(class)))
		}
	}
	return 0
}
