package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"time"
)

// The dimensions of the drawing, in its own units: three plots, one below the other.
const (
	plotLeft, plotRight = 64.0, 560.0
	plotTop, plotHeight = 54.0, 96.0
	plotGap             = 44.0
	plotCount           = 3
)

// draw writes the readings as an SVG file that suits light and dark pages.
func (r *soakReport) draw(name string) error {
	bottom := plotTop + plotCount*plotHeight + (plotCount-1)*plotGap
	var out strings.Builder
	fmt.Fprintf(&out, plotOpening, bottom+44)
	fmt.Fprintf(&out, `<text class="title" x="%g" y="22">%s of mixed load by %d clients, %s calls</text>`+"\n", plotLeft, durationText(r.Took), r.Clients, grouped(r.Tally.calls.Load()))
	for i, trend := range r.trends() {
		trend.draw(&out, plotTop+float64(i)*(plotHeight+plotGap), i, r.Took.Minutes())
	}
	drawMinutes(&out, bottom, r.Took.Minutes())
	out.WriteString("</svg>\n")
	return os.WriteFile(name, []byte(out.String()), 0o644)
}

// draw draws a figure from zero, so that growth does not look larger than it is.
func (t trend) draw(out *strings.Builder, top float64, colour int, minutes float64) {
	most := t.values[0]
	for _, value := range t.values {
		most = max(most, value)
	}
	step := roundStep(most * 1.1 / 3)
	x := func(minute float64) float64 { return plotLeft + minute/minutes*(plotRight-plotLeft) }
	y := func(value float64) float64 { return top + plotHeight - value/(3*step)*plotHeight }
	for mark := range 4 {
		value := float64(mark) * step
		fmt.Fprintf(out, `<line class="grid" x1="%g" y1="%.1f" x2="%g" y2="%.1f"/><text class="tick" text-anchor="end" x="%g" y="%.1f">%g</text>`+"\n",
			plotLeft, y(value), plotRight, y(value), plotLeft-8, y(value)+4, value)
	}
	var path []string
	for i, value := range t.values {
		path = append(path, fmt.Sprintf("%.1f,%.1f", x(t.minutes[i]), y(value)))
	}
	fmt.Fprintf(out, `<g class="c%d"><polyline points="%s"/></g>`+"\n", colour, strings.Join(path, " "))
	fmt.Fprintf(out, `<text class="name" x="%g" y="%.1f">%s%s</text>`+"\n", plotLeft, top-8, t.name, unitIn(t.unit))
	for i, line := range []string{
		fmt.Sprintf("first quarter %.1f", t.first), fmt.Sprintf("last quarter %.1f", t.last), fmt.Sprintf("%+.3f a minute", t.slope),
		fmt.Sprintf("at rest %.1f, then %.1f", t.before, t.after),
	} {
		fmt.Fprintf(out, `<text class="tick" x="%g" y="%.1f">%s</text>`+"\n", plotRight+12, top+14+float64(i)*18, line)
	}
}

func drawMinutes(out *strings.Builder, bottom, minutes float64) {
	step := roundStep(minutes / 5)
	for minute := 0.0; minute <= minutes*1.001; minute += step {
		x := plotLeft + minute/minutes*(plotRight-plotLeft)
		fmt.Fprintf(out, `<text class="tick" text-anchor="middle" x="%.1f" y="%.1f">%g min</text>`+"\n", x, bottom+22, math.Round(minute*100)/100)
	}
}

// roundStep returns the next round number: 1, 2 or 5 followed by zeros.
func roundStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(max(least, 1e-3))))
	for _, times := range []float64{1, 2, 5} {
		if step := times * power; step >= least*0.999 {
			return step
		}
	}
	return 10 * power
}

// durationText formats 10m instead of 10m0s.
func durationText(d time.Duration) string {
	text := d.String()
	if d%time.Minute == 0 {
		text = strings.TrimSuffix(text, "0s")
	}
	return text
}

// grouped formats a count with commas.
func grouped(count int64) string {
	text := fmt.Sprint(count)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

const plotOpening = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 %g" role="img" aria-label="Goroutines, descriptors and heap of the server under a mixed load">
<style>
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-size: 14px; font-weight: 600 }
.name { font-weight: 600 }
.tick { fill: #57606a }
.grid { stroke: #d0d7de; stroke-width: 1 }
polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round }
.c0 { stroke: #1f6feb } .c1 { stroke: #bf3989 } .c2 { stroke: #1a7f37 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .tick { fill: #9198a1 }
  .grid { stroke: #3d444d }
  .c0 { stroke: #58a6ff } .c1 { stroke: #f778ba } .c2 { stroke: #3fb950 }
}
</style>
`
