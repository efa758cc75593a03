// Package measure measures the time and memory of a function, a process or a child process. It reads what Linux
// reports.
package measure

import (
	"cmp"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Cost is what something took.
type Cost struct{ Wall, CPU time.Duration }

// Of runs a function once and returns what it cost this process.
func Of(work func() error) (Cost, error) {
	cpu, began := processTime(), time.Now()
	err := work()
	wall := time.Since(began)
	return Cost{wall, processTime() - cpu}, err
}

// steady is how long a short function is repeated, since reading the
// processor's clock takes a good part of a microsecond.
const (
	steady     = 200 * time.Microsecond
	maxRepeats = 100
)

// OfShort is Of for something that may take only microseconds: it is repeated, and the mean is returned.
func OfShort(work func() error) (Cost, error) {
	once, err := Of(work)
	repeats := min(int(steady/max(once.Wall, 1)), maxRepeats)
	if err != nil || repeats < 2 {
		return once, err
	}
	all, err := Of(func() error {
		for range repeats {
			if err := work(); err != nil {
				return err
			}
		}
		return nil
	})
	return Cost{all.Wall / time.Duration(repeats), all.CPU / time.Duration(repeats)}, err
}

func processTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
}

// Spread is a distribution of times, in milliseconds.
type Spread struct {
	Best float64 `json:"best"`
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
}

// Figure is a measured quantity. Times are those of all its samples; Bytes is set instead if memory or disk was
// measured.
type Figure struct {
	Wall    Spread  `json:"wall_ms,omitzero"`
	CPU     Spread  `json:"cpu_ms,omitzero"`
	Samples int     `json:"samples,omitempty"`
	Bytes   int64   `json:"bytes,omitempty"`
	Hits    float64 `json:"hits,omitempty"` // mean number of hits of a search
}

// Summary is the figure of repeated costs of the same thing.
func Summary(costs []Cost) Figure {
	return Figure{
		Wall:    spread(costs, func(c Cost) time.Duration { return c.Wall }),
		CPU:     spread(costs, func(c Cost) time.Duration { return c.CPU }),
		Samples: len(costs),
	}
}

// BestOfEach is the figure of several things, each measured in several rounds: the best round of each counts, and
// the spread is that of the things.
func BestOfEach(rounds map[string][]Cost) Figure {
	var best []Cost
	samples := 0
	for _, costs := range rounds {
		best = append(best, Cost{
			Wall: slices.MinFunc(costs, func(a, b Cost) int { return cmp.Compare(a.Wall, b.Wall) }).Wall,
			CPU:  slices.MinFunc(costs, func(a, b Cost) int { return cmp.Compare(a.CPU, b.CPU) }).CPU,
		})
		samples += len(costs)
	}
	figure := Summary(best)
	figure.Samples = samples
	return figure
}

func spread(costs []Cost, of func(Cost) time.Duration) Spread {
	if len(costs) == 0 {
		return Spread{}
	}
	times := make([]float64, len(costs))
	for i, cost := range costs {
		times[i] = float64(of(cost).Nanoseconds()) / 1e6
	}
	slices.Sort(times)
	rank := func(share float64) float64 { return times[min(int(share*float64(len(times))), len(times)-1)] }
	return Spread{Best: times[0], P50: rank(0.5), P99: rank(0.99)}
}
