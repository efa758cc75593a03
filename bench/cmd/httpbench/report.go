package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
)

const (
	callGoal    = 1.3 // times the echo's cost
	sessionGoal = 1.2 // times the library's memory for an idle session
)

func (r *results) save(name string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

// tables prints everything as Markdown.
func (r *results) tables(out io.Writer) {
	fmt.Fprintf(out, "%s; %s in turns; medians [least..most of the rounds' ratios]\n", r.Machine, r.Settings)
	if len(r.Groups) > 0 {
		r.callTable(out)
	}
	if len(r.Memory) > 0 {
		r.memoryTable(out)
	}
	if r.Abandoned != nil {
		r.Abandoned.print(out)
	}
	r.goalTable(out)
}

func (r *results) callTable(out io.Writer) {
	fmt.Fprint(out, "\n| what | era | clients | server | a second | p50 | p99 | CPU | allocated | CPU ratio | p50 ratio |\n|---|---|---:|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, group := range r.Groups {
		for i, row := range group.Rows {
			cpuRatio, p50Ratio := "1", "1"
			if i > 0 {
				cpuRatio, p50Ratio = row.ratio(group.Rows[0], cpuOf).String(), row.ratio(group.Rows[0], p50Of).String()
			} else if len(group.Rows) == 1 {
				cpuRatio, p50Ratio = "", ""
			}
			fmt.Fprintf(out, "| %s | %s | %d | %s | %.0f | %s | %s | %s | %.1f KB | %s | %s |\n", group.About, group.Era, group.Clients, row.Name,
				row.median(perSecondOf), micros(row.median(p50Of)), micros(row.median(p99Of)), micros(row.median(cpuOf)), row.median(allocatedOf)/1000, cpuRatio, p50Ratio)
		}
	}
}

func (r *results) memoryTable(out io.Writer) {
	fmt.Fprintf(out, "\n| memory of an idle session (%d open, %d with a stream, median of %d) | live heap and stacks | anonymous | with a stream: live | anonymous |\n|---|---:|---:|---:|---:|\n",
		idleSessions, idleStreams, memoryRounds)
	for _, server := range r.Memory {
		session, stream := server.medians()
		fmt.Fprintf(out, "| %s | %.1f KB | %.1f KB | %.1f KB | %.1f KB |\n", server.Name,
			session.Live/1000, session.Anonymous/1000, (session.Live+stream.Live)/1000, (session.Anonymous+stream.Anonymous)/1000)
	}
}

func (a *abandoned) print(out io.Writer) {
	fmt.Fprintf(out, "\n%d sessions begun in a row and never ended: %.1f MB at rest before, %.1f MB after (looked at %.0f s later).\n", a.Sessions, a.Before/1e6, a.After/1e6, a.Waited)
}

// goalTable lists the goals, and whether they were met.
func (r *results) goalTable(out io.Writer) {
	fmt.Fprint(out, "\n| goal | at most | measured | met |\n|---|---:|---:|---|\n")
	for _, group := range r.Groups {
		at := slices.IndexFunc(group.Rows, func(row row) bool { return row.Name == ours })
		if group.About != "read_note of 2 KB" || at < 1 {
			continue
		}
		for _, stat := range []struct {
			name string
			of   func(sample) float64
		}{{"CPU", cpuOf}, {"p50", p50Of}} {
			for _, anchor := range group.Rows[:2] {
				ratio := group.Rows[at].ratio(anchor, stat.of)
				fmt.Fprintf(out, "| %s, %s, %d clients: %s | %.1f × %s | %v | %s |\n", group.About, group.Era, group.Clients, stat.name, callGoal, anchor.Name, ratio, met(ratio.median <= callGoal))
			}
		}
	}
	r.memoryGoals(out)
}

func (r *results) memoryGoals(out io.Writer) {
	if len(r.Memory) > 1 {
		session, stream := r.Memory[0].medians()
		ourSession, ourStream := r.Memory[1].medians()
		alone, together := ourSession.Live/session.Live, (ourSession.Live+ourStream.Live)/(session.Live+stream.Live)
		fmt.Fprintf(out, "| an idle session: live heap and stacks | %.1f × echo | %.2f | %s |\n", sessionGoal, alone, met(alone <= sessionGoal))
		fmt.Fprintf(out, "| the same with an open stream | %.1f × echo | %.2f | %s |\n", sessionGoal, together, met(together <= sessionGoal))
	}
	if r.Abandoned != nil {
		more := r.Abandoned.After - r.Abandoned.Before
		fmt.Fprintf(out, "| %d abandoned sessions: memory at rest | %.0f MB more | %.1f MB | %s |\n", r.Abandoned.Sessions, abandonGoal/1e6, more/1e6, met(more <= abandonGoal))
	}
}

func met(reached bool) string { return map[bool]string{true: "yes", false: "**no**"}[reached] }

func perSecondOf(s sample) float64 { return s.PerSecond }
func p50Of(s sample) float64       { return s.P50 }
func p99Of(s sample) float64       { return s.P99 }
func cpuOf(s sample) float64       { return s.CPU }
func allocatedOf(s sample) float64 { return s.Allocated }

func (r row) median(of func(sample) float64) float64 {
	var all []float64
	for _, turn := range r.Turns {
		all = append(all, of(turn))
	}
	return median(all)
}

// ratio compares two servers round by round.
func (r row) ratio(anchor row, of func(sample) float64) spread {
	var all []float64
	for i := range r.Turns {
		all = append(all, of(r.Turns[i])/of(anchor.Turns[i]))
	}
	return spread{median(all), slices.Min(all), slices.Max(all)}
}

// spread is the distribution of ratios.
type spread struct{ median, least, most float64 }

func (s spread) String() string {
	return fmt.Sprintf("%.2f [%.2f..%.2f]", s.median, s.least, s.most)
}

func (f footprint) medians() (session, stream cost) {
	return medianCost(f.Session), medianCost(f.Stream)
}

func medianCost(all []cost) cost {
	var live, anonymous []float64
	for _, cost := range all {
		live, anonymous = append(live, cost.Live), append(anonymous, cost.Anonymous)
	}
	return cost{median(live), median(anonymous)}
}

// median returns the middle value, or the mean of the two in the middle.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// micros formats microseconds with three digits and a suitable unit.
func micros(value float64) string {
	if value >= 1000 {
		return fmt.Sprintf("%.3g ms", value/1000)
	}
	return fmt.Sprintf("%.3g µs", value)
}
