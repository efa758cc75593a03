package report

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
)

// line is something whose cost is drawn.
type line struct {
	label  string
	figure string
	stat   Stat
	ours   bool // drawn strongly
}

var lines = []line{
	{"ripgrep, rare word", rareLiteral, wallBest, false},
	{"reading all files", "floor/read", wallBest, false},
	{"stat of all files", statPass, wallBest, false},
	{"FTS5, three words", modernc + "/query/3term-common-AND", cpuP50, false},
	{"bleve, three words", bleve + "/query/3term-common-AND", cpuP50, false},
	{"FTS5, one-note update", modernc + "/update", wallP50, false},
	{"bleve, one-note update", bleve + "/update", wallP50, false},
	{"ours, three words", "ours/query/3term-common-AND", cpuP50, true},
	{"ours, rare pattern", "ours/grep/regex-rare", wallBest, true},
	{"ours, one-note update", "ours/update", wallP50, true},
	{"ours, warm start", "ours/open", wallBest, true},
}

// The dimensions of the drawing, in its own units.
const (
	width, height            = 760.0, 470.0
	left, right, top, bottom = 70.0, 190.0, 46.0, 48.0
	labelGap                 = 15.0
)

// point is a number of notes and a cost in milliseconds.
type point struct{ notes, cost float64 }

// curve is a line with its points and the position of its label.
type curve struct {
	line
	points []point
	label  float64
	colour int
}

// Chart writes a drawing of cost against the number of notes, both
// logarithmic, to an SVG file that suits light and dark pages.
func (r Results) Chart(name string) error {
	drawn := r.curves()
	if len(drawn) == 0 {
		return fmt.Errorf("nothing to draw in %s", name)
	}
	axes := newAxes(drawn)
	var out strings.Builder
	out.WriteString(opening)
	axes.draw(&out)
	placeLabels(drawn, axes)
	for _, curve := range drawn {
		curve.draw(&out, axes)
	}
	out.WriteString("</svg>\n")
	return os.WriteFile(name, []byte(out.String()), 0o644)
}

func (r Results) curves() []curve {
	var drawn []curve
	for i, line := range lines {
		found := curve{line: line, colour: i}
		for _, size := range r.Sizes {
			if figure, ok := size.Figures[line.figure]; ok && line.stat(figure) > 0 {
				found.points = append(found.points, point{float64(size.Notes), line.stat(figure)})
			}
		}
		if len(found.points) > 0 {
			drawn = append(drawn, found)
		}
	}
	return drawn
}

// axes map powers of ten to the drawing.
type axes struct{ fromX, toX, fromY, toY float64 }

func newAxes(drawn []curve) axes {
	a := axes{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	for _, curve := range drawn {
		for _, p := range curve.points {
			a.fromX, a.toX = min(a.fromX, math.Log10(p.notes)), max(a.toX, math.Log10(p.notes))
			a.fromY, a.toY = min(a.fromY, math.Log10(p.cost)), max(a.toY, math.Log10(p.cost))
		}
	}
	a.fromY, a.toY = math.Floor(a.fromY), math.Ceil(a.toY)
	if a.toX-a.fromX < 1 { // a single vault still needs some width
		a.fromX, a.toX = math.Floor(a.fromX), math.Floor(a.fromX)+1
	}
	a.toY = max(a.toY, a.fromY+1)
	return a
}

func (a axes) x(notes float64) float64 {
	return left + (math.Log10(notes)-a.fromX)/(a.toX-a.fromX)*(width-left-right)
}

func (a axes) y(cost float64) float64 {
	return height - bottom - (math.Log10(cost)-a.fromY)/(a.toY-a.fromY)*(height-top-bottom)
}

func (a axes) draw(out *strings.Builder) {
	fmt.Fprintf(out, `<text class="title" x="%g" y="24">Cost against the size of the vault (both logarithmic)</text>`+"\n", left)
	for power := a.fromY; power <= a.toY; power++ {
		y := a.y(math.Pow(10, power))
		fmt.Fprintf(out, `<line class="grid" x1="%g" y1="%.1f" x2="%g" y2="%.1f"/><text class="tick" text-anchor="end" x="%g" y="%.1f">%s</text>`+"\n",
			left, y, width-right, y, left-8, y+4, powerText(power))
	}
	for power := math.Ceil(a.fromX); power <= a.toX; power++ {
		x := a.x(math.Pow(10, power))
		fmt.Fprintf(out, `<line class="grid" x1="%.1f" y1="%g" x2="%.1f" y2="%g"/><text class="tick" text-anchor="middle" x="%.1f" y="%g">%s notes</text>`+"\n",
			x, top, x, height-bottom, x, height-bottom+20, thousands(math.Pow(10, power)))
	}
}

// powerText names a power of ten milliseconds.
func powerText(power float64) string {
	switch {
	case power < -3:
		return fmt.Sprintf("%.0f ns", math.Pow(10, power+6))
	case power < 0:
		return fmt.Sprintf("%.0f µs", math.Pow(10, power+3))
	case power < 3:
		return fmt.Sprintf("%.0f ms", math.Pow(10, power))
	}
	return fmt.Sprintf("%.0f s", math.Pow(10, power-3))
}

func thousands(count float64) string {
	text := fmt.Sprintf("%.0f", count)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// placeLabels puts each label at the end of its curve, moves labels down that would cover another, and moves labels
// up again that would leave the drawing.
func placeLabels(drawn []curve, a axes) {
	for i := range drawn {
		drawn[i].label = a.y(drawn[i].points[len(drawn[i].points)-1].cost)
	}
	slices.SortStableFunc(drawn, func(a, b curve) int { return int(math.Copysign(1, a.label-b.label)) })
	for i := 1; i < len(drawn); i++ {
		drawn[i].label = max(drawn[i].label, drawn[i-1].label+labelGap)
	}
	lowest := height - bottom
	for i := len(drawn) - 1; i >= 0; i-- {
		drawn[i].label = min(drawn[i].label, lowest)
		lowest = drawn[i].label - labelGap
	}
}

func (c curve) draw(out *strings.Builder, a axes) {
	class := fmt.Sprintf("c%d", c.colour%colours)
	if c.ours {
		class += " ours"
	}
	var path []string
	for _, p := range c.points {
		path = append(path, fmt.Sprintf("%.1f,%.1f", a.x(p.notes), a.y(p.cost)))
	}
	last := c.points[len(c.points)-1]
	fmt.Fprintf(out, `<g class="%s"><polyline points="%s"/>`, class, strings.Join(path, " "))
	for _, p := range c.points {
		fmt.Fprintf(out, `<circle cx="%.1f" cy="%.1f" r="3"><title>%s, %s notes: %s</title></circle>`, a.x(p.notes), a.y(p.cost), c.line.label, thousands(p.notes), timeText(p.cost))
	}
	fmt.Fprintf(out, `<path class="lead" d="M%.1f,%.1f L%.1f,%.1f"/><text x="%.1f" y="%.1f">%s</text></g>`+"\n",
		a.x(last.notes), a.y(last.cost), width-right+12, c.label, width-right+16, c.label+4, c.line.label)
}

// colours is the number of colour classes below; each is legible on white and on near-black.
const colours = 11

const opening = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 470" role="img" aria-label="Cost of searches against the number of notes">
<style>
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-size: 14px; font-weight: 600 }
.tick { fill: #57606a }
.grid { stroke: #d0d7de; stroke-width: 1 }
polyline { fill: none; stroke-width: 1.6; stroke-dasharray: 5 3 }
.ours polyline { stroke-width: 3; stroke-dasharray: none }
.ours text { font-weight: 600 }
.lead { fill: none; stroke-width: .7; opacity: .6 }
.c0 { stroke: #b35900 } .c1 { stroke: #6e7781 } .c2 { stroke: #8b949e } .c3 { stroke: #1f6feb } .c4 { stroke: #8250df } .c5 { stroke: #218bff }
.c6 { stroke: #a475f9 } .c7 { stroke: #1a7f37 } .c8 { stroke: #cf222e } .c9 { stroke: #bf3989 } .c10 { stroke: #0a7d91 }
g text, g title { stroke: none }
circle { stroke-width: 1.5; fill: #fff }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .tick { fill: #9198a1 }
  .grid { stroke: #3d444d }
  circle { fill: #0d1117 }
}
</style>
`
