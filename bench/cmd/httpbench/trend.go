package main

import (
	"fmt"
	"io"
	"time"
)

// soakReport is the result of a mixed load.
type soakReport struct {
	Clients       int
	Took          time.Duration
	Readings      []reading
	Before, After reading // at rest
	Tally         *tally
}

// trend is the course of a figure.
type trend struct {
	name          string
	unit          string
	values        []float64 // all
	minutes       []float64
	settled       int     // index of the first value that counts
	first, last   float64 // medians of the first and the last quarter of the values that count
	slope         float64 // per minute, by least squares
	before, after float64 // at rest
	slack         float64 // growth at rest that is tolerated
}

// settling is how long a load takes to become steady: until as much is released as is added. Earlier readings are
// drawn but do not count.
const settling = expiry

func (r *soakReport) trends() []trend {
	return []trend{
		r.trend("goroutines", "", 4, func(r reading) float64 { return r.Goroutines }),
		r.trend("descriptors", "", 4, func(r reading) float64 { return r.Descriptors }),
		r.trend("heap in use", "MB", 2, func(r reading) float64 { return r.Heap }),
	}
}

func (r *soakReport) trend(name, unit string, slack float64, of func(reading) float64) trend {
	t := trend{name: name, unit: unit, before: of(r.Before), after: of(r.After), slack: slack}
	for _, reading := range r.Readings {
		t.values, t.minutes = append(t.values, of(reading)), append(t.minutes, reading.Minute)
		if reading.Minute < settling.Minutes() {
			t.settled = len(t.values)
		}
	}
	counted := t.values[t.settled:]
	quarter := max(len(counted)/4, 1)
	t.first, t.last = median(counted[:quarter]), median(counted[len(counted)-quarter:])
	t.slope = slope(t.minutes[t.settled:], counted)
	return t
}

// grows reports whether the figure rose under load by more than it varies: both the quarters and the fitted line
// must agree.
func (t trend) grows() bool {
	enough := max(2*t.slack, 0.1*t.first)
	span := t.minutes[len(t.minutes)-1] - t.minutes[t.settled]
	return t.last-t.first > enough && t.slope*span > enough
}

// left reports whether more is held at rest than before.
func (t trend) left() bool { return t.after-t.before > max(t.slack, 0.05*t.before) }

// slope fits a line by least squares.
func slope(xs, ys []float64) float64 {
	var sumX, sumY float64
	for i := range xs {
		sumX, sumY = sumX+xs[i], sumY+ys[i]
	}
	meanX, meanY := sumX/float64(len(xs)), sumY/float64(len(ys))
	var above, below float64
	for i := range xs {
		above += (xs[i] - meanX) * (ys[i] - meanY)
		below += (xs[i] - meanX) * (xs[i] - meanX)
	}
	if below == 0 {
		return 0
	}
	return above / below
}

func (r *soakReport) print(out io.Writer) {
	last := r.Readings[len(r.Readings)-1]
	fmt.Fprintf(out, "%s of mixed load by %d clients: %s calls, %d errors\n\n", durationText(r.Took), r.Clients, grouped(r.Tally.calls.Load()), r.Tally.errors.Load())
	fmt.Fprint(out, "| figure | first quarter | last quarter | slope a minute | at rest before | at rest after | grows |\n|---|---:|---:|---:|---:|---:|---|\n")
	for _, t := range r.trends() {
		grows := map[bool]string{true: "**yes**", false: "no"}[t.grows() || t.left()]
		fmt.Fprintf(out, "| %s%s | %.1f | %.1f | %+.3f | %.1f | %.1f | %s |\n", t.name, unitIn(t.unit), t.first, t.last, t.slope, t.before, t.after, grows)
	}
	sessions := r.trend("sessions", "", 0, func(r reading) float64 { return r.Sessions })
	fmt.Fprintf(out, "\nOpen sessions: %.0f in the first quarter, %.0f in the last. Resident memory: %.0f MB at the end of the load, %.0f MB at rest.\n\n",
		sessions.first, sessions.last, last.Resident, r.After.Resident)
	for _, name := range sorted(r.Tally.deeds) {
		fmt.Fprintf(out, "- %s: %d\n", name, r.Tally.deeds[name])
	}
	for _, text := range sorted(r.Tally.failures) {
		fmt.Fprintf(out, "- failed %d times: %s\n", r.Tally.failures[text], text)
	}
}

// unitIn formats a unit after a label.
func unitIn(unit string) string {
	if unit == "" {
		return ""
	}
	return ", " + unit
}
