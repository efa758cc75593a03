package histogram_test

import (
	"slices"
	"testing"
	"time"

	"obsidian-mcp/internal/observe/histogram"
)

var bounds = []time.Duration{time.Millisecond, 10 * time.Millisecond, time.Second}

func TestDurationsAreCountedUpToTheirBound(t *testing.T) {
	h := histogram.New(bounds)
	for _, took := range []time.Duration{0, time.Millisecond, time.Millisecond + 1, time.Second, time.Second + 1} {
		h.Add(took)
	}
	var at []time.Duration
	var totals []uint64
	for bound, total := range h.Cumulative() {
		at, totals = append(at, bound), append(totals, total)
	}
	if !slices.Equal(at, bounds) || !slices.Equal(totals, []uint64{2, 3, 4}) {
		t.Errorf("cumulative counts: %v at %v", totals, at)
	}
	if want := 2*time.Second + 2*time.Millisecond + 2; h.Count() != 5 || h.Sum() != want {
		t.Errorf("count %d, sum %v; want 5, %v", h.Count(), h.Sum(), want)
	}
}

func TestQuantile(t *testing.T) {
	h := histogram.New(bounds)
	if got := h.Quantile(0.5); got != 0 {
		t.Errorf("median of nothing: %v", got)
	}
	for range 19 {
		h.Add(2 * time.Millisecond)
	}
	h.Add(time.Hour)
	for part, want := range map[float64]time.Duration{0.5: bounds[1], 0.95: bounds[1], 1: bounds[2]} {
		if got := h.Quantile(part); got != want {
			t.Errorf("quantile %v: %v, want %v", part, got, want)
		}
	}
}
