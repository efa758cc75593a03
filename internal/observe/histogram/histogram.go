// Package histogram counts how long things took, in a fixed number of buckets.
// It neither locks nor forgets: its users do.
package histogram

import (
	"iter"
	"math"
	"slices"
	"time"
)

// Histogram counts durations by the smallest bound that is not below them.
type Histogram struct {
	bounds []time.Duration // ascending
	counts []uint64        // one more than there are bounds, for what is above the last
	sum    time.Duration
}

// New returns an empty histogram. The bounds must be ascending, and must not change afterwards.
func New(bounds []time.Duration) *Histogram {
	return &Histogram{bounds: bounds, counts: make([]uint64, len(bounds)+1)}
}

// Add counts a duration.
func (h *Histogram) Add(took time.Duration) {
	bucket, _ := slices.BinarySearch(h.bounds, took)
	h.counts[bucket]++
	h.sum += took
}

// Count is how many durations were counted.
func (h *Histogram) Count() uint64 {
	total := uint64(0)
	for _, count := range h.counts {
		total += count
	}
	return total
}

// Sum is the total of all durations.
func (h *Histogram) Sum() time.Duration { return h.sum }

// Cumulative yields each bound with the number of durations that do not exceed it.
func (h *Histogram) Cumulative() iter.Seq2[time.Duration, uint64] {
	return func(yield func(time.Duration, uint64) bool) {
		total := uint64(0)
		for i, bound := range h.bounds {
			if total += h.counts[i]; !yield(bound, total) {
				return
			}
		}
	}
}

// Quantile returns the lowest bound that at least the given part of the durations do not exceed: 0 for an empty
// histogram, and the last bound for durations above all bounds.
func (h *Histogram) Quantile(part float64) time.Duration {
	count := h.Count()
	if count == 0 {
		return 0
	}
	want := uint64(math.Ceil(part * float64(count)))
	for bound, total := range h.Cumulative() {
		if total >= want {
			return bound
		}
	}
	return h.bounds[len(h.bounds)-1]
}
