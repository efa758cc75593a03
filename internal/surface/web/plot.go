package web

import (
	"fmt"
	"math"
	"time"

	"obsidian-mcp/internal/observe/pulse"
	"obsidian-mcp/internal/text/amount"
)

// plot is a small chart of the last hour, with a bar per minute.
type plot struct {
	Title string
	About string // the same in words, for screen readers
	Now   string // the newest figure
	Width int
	Tall  int
	Bars  []bar
}

// bar is a bar of a plot, in the plot's units.
type bar struct {
	X, Y, Height float64
	Failed       float64 // height of the failed part
	FailedY      float64
	Tip          string
}

const (
	barWidth  = 4
	plotTall  = 48
	plotWidth = pulse.Minutes * barWidth
)

// callsPlot shows the number of calls.
func callsPlot(minutes []pulse.Minute) *plot {
	total, failed, most := 0, 0, 0
	for _, minute := range minutes {
		total += minute.Calls
		failed += minute.Failed
		most = max(most, minute.Calls)
	}
	p := &plot{
		Title: "Calls a minute", Now: fmt.Sprintf("%s in the last hour", amount.Number(total)),
		Width: plotWidth, Tall: plotTall,
		About: fmt.Sprintf("%s in the last hour, %d of them failed; at most %d in a minute",
			amount.Of(total, "call"), failed, most),
	}
	for i, minute := range minutes {
		bar := column(i, float64(minute.Calls), float64(most))
		if minute.Calls > 0 {
			bar.Failed = bar.Height * float64(minute.Failed) / float64(minute.Calls)
			bar.FailedY = plotTall - bar.Failed
		}
		bar.Tip = fmt.Sprintf("%s UTC: %s, %d failed",
			minute.Start.UTC().Format("15:04"), amount.Of(minute.Calls, "call"), minute.Failed)
		p.Bars = append(p.Bars, bar)
	}
	return p
}

// latencyPlot shows how long calls took, as the 95th percentile on a logarithmic scale.
func latencyPlot(minutes []pulse.Minute) *plot {
	longest, newest := time.Duration(0), pulse.Minute{}
	for _, minute := range minutes {
		longest = max(longest, minute.P95)
		if minute.Calls > 0 {
			newest = minute
		}
	}
	p := &plot{
		Title: "Time of a call", Now: "no calls yet", Width: plotWidth, Tall: plotTall, About: "no calls in the last hour",
	}
	if newest.Calls > 0 {
		p.Now = fmt.Sprintf("median %s, 95%% within %s", took(newest.Median), took(newest.P95))
		p.About = fmt.Sprintf("in the last minute with calls the median was %s and 95 percent took at most %s; "+
			"the slowest minute of the hour had %s", took(newest.Median), took(newest.P95), took(longest))
	}
	for i, minute := range minutes {
		bar := column(i, magnitude(minute.P95), magnitude(longest))
		bar.Tip = fmt.Sprintf("%s UTC: 95%% within %s", minute.Start.UTC().Format("15:04"), took(minute.P95))
		p.Bars = append(p.Bars, bar)
	}
	return p
}

// magnitude returns a duration on a logarithmic scale: ten times as long is one step more.
func magnitude(d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return max(0.2, math.Log10(float64(d)/float64(10*time.Microsecond)))
}

// column returns the bar of a value. The largest value fills the plot.
func column(i int, value, most float64) bar {
	height := 0.0
	if most > 0 {
		height = math.Round(value/most*plotTall*10) / 10
	}
	return bar{X: float64(i * barWidth), Y: plotTall - height, Height: height}
}
